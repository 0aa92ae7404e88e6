// A headless Chromium, driven by its debugging protocol over a pipe: nothing listens on a port.
//
// CHROMIUM names the program where it is not called `chromium`.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
  '--remote-debugging-pipe',
];

export class Chromium {
  #profile = mkdtempSync(join(tmpdir(), 'patternbench-browser-'));
  #next = 1;
  #waiting = new Map();
  #listeners = [];
  #rest = '';

  constructor() {
    const program = process.env.CHROMIUM ?? 'chromium';
    this.child = spawn(program, [...FLAGS, `--user-data-dir=${this.#profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    const fail = (why) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(why));
      this.#waiting.clear();
    };
    this.child.on('error', (error) => fail(`failed to start ${program}: ${error.message}`));
    this.child.on('exit', () => fail(`${program} ended`));
    this.child.stdio[3].on('error', () => {});
    this.child.stdio[4].setEncoding('utf8').on('data', (text) => this.#read(text));
  }

  #read(text) {
    const messages = (this.#rest + text).split('\0');
    this.#rest = messages.pop();
    for (const message of messages.map((message) => JSON.parse(message))) {
      if (message.id === undefined) {
        for (const listener of this.#listeners) listener(message);
        continue;
      }
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error) waiting?.reject(new Error(`${waiting.method}: ${message.error.message}`));
      else waiting?.resolve(message.result);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { method, resolve, reject }));
  }

  on(listener) {
    this.#listeners.push(listener);
  }

  async tab() {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const tab = new Tab(this, sessionId);
    await tab.send('Page.enable');
    await tab.send('Network.enable');
    await tab.send('Log.enable');
    return tab;
  }

  async close() {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.send('Browser.close').catch(() => {});
    await gone;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Tab {
  // Everything asked of the network, and what the browser complained about.
  requests = [];
  complaints = [];
  #loaded = () => {};

  constructor(chromium, session) {
    this.chromium = chromium;
    this.session = session;
    chromium.on(({ method, params, sessionId }) => {
      if (sessionId !== session) return;
      if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
      if (method === 'Log.entryAdded') this.complaints.push(params.entry.text);
      if (method === 'Page.loadEventFired') this.#loaded();
    });
  }

  send(method, params = {}) {
    return this.chromium.send(method, params, this.session);
  }

  // How the page is looked at: width and height in pixels, `light` or `dark`, `screen` or `print`.
  async look({ width, height = 900, scheme = 'light', media = 'screen' }) {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    await this.send('Emulation.setEmulatedMedia', { media, features: [{ name: 'prefers-color-scheme', value: scheme }] });
  }

  async open(url) {
    const loaded = new Promise((resolve) => (this.#loaded = resolve));
    await this.send('Page.navigate', { url });
    await loaded;
  }

  async evaluate(expression) {
    const answer = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (answer.exceptionDetails) {
      throw new Error(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text);
    }
    return answer.result.value;
  }

  async screenshot(file, clip = undefined) {
    const options = { format: 'png', captureBeyondViewport: true, ...(clip && { clip: { ...clip, scale: 1 } }) };
    const { data } = await this.send('Page.captureScreenshot', options);
    writeFileSync(file, Buffer.from(data, 'base64'));
  }

  async pdf(file) {
    const { data } = await this.send('Page.printToPDF', { printBackground: true, preferCSSPageSize: true });
    writeFileSync(file, Buffer.from(data, 'base64'));
  }
}
