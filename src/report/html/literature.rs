//! The literature that the method rests on.

use maud::{Markup, html as markup};

/// Author, title, where it stands, and what is taken from it.
const LITERATURE: [(&str, &str); 13] = [
    (
        "A. Abedi, T. Brecht: Conducting repeatable experiments in highly variable cloud computing environments. ICPE \
         2017.",
        "Models take turns inside a round, in a randomised order.",
    ),
    (
        "T. Kalibera, R. Jones: Quantifying performance changes with effect size confidence intervals. arXiv \
         2007.10899.",
        "Ratios with intervals; the level that varies is the one to repeat.",
    ),
    (
        "L. Bulej, V. Horký, P. Tůma, F. Farquet, A. Prokopec: Duet benchmarking: improving measurement accuracy in \
         the cloud. ICPE 2020, arXiv 2001.05811.",
        "Pairing takes out what disturbs both models alike.",
    ),
    (
        "D. Daly, W. Brown, H. Ingo, J. O'Leary, D. Bradford: The use of change point detection to identify software \
         performance regressions in a continuous integration system. ICPE 2020.",
        "How a server's makers judge their own runs: small differences are noise until shown otherwise.",
    ),
    (
        "M. Fleming, P. Kołaczkowski, and others: Hunter: using change point detection to hunt for performance \
         regressions. ICPE 2023, arXiv 2301.03034.",
        "The same for a distributed database: no statistics mend noisy data.",
    ),
    (
        "G. Tene: How not to measure latency. Talk, from 2013 on.",
        "Response time counts from the intended start: no coordinated omission.",
    ),
    (
        "S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 1979.",
        "Several operations asked of one run share one error rate.",
    ),
    (
        "D. J. Schuirmann: A comparison of the two one-sided tests procedure and the power approach for assessing the \
         equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.",
        "Equal is what the 90 % interval shows to be equal.",
    ),
    (
        "J. L. Hodges, E. L. Lehmann: Estimates of location based on rank tests. Annals of Mathematical Statistics \
         34, 1963.",
        "The cross-check that single units cannot pull.",
    ),
    (
        "B. Efron, R. J. Tibshirani: An introduction to the bootstrap. Chapman & Hall, 1993, chapter 11.",
        "The jackknife: the cross-check by all operations together.",
    ),
    (
        "M. Hollander, D. A. Wolfe, E. Chicken: Nonparametric statistical methods. 3rd edition, 2014, chapter 3.",
        "The interval of the Hodges–Lehmann estimate.",
    ),
    (
        "J. Durbin, G. S. Watson: Testing for serial correlation in least squares regression I. Biometrika 37, 1950.",
        "Whether neighbouring units can be taken as independent.",
    ),
    (
        "B. Jones, M. G. Kenward: Design and analysis of cross-over trials. 3rd edition, 2014, chapter 5.",
        "What the order of windows does.",
    ),
];

/// The list of it.
pub(super) fn section() -> Markup {
    markup! {
        section.literature id="literature" {
            h2 { "Literature" }
            ol { @for (work, taken) in LITERATURE { li { (work) " " span.quiet { (taken) } } } }
        }
    }
}
