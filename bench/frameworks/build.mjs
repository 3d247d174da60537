// Builds each page with each framework twice: as its starter template has it, empty until its script has run in a browser
// (client-*.html), and rendered on the server, with the script that brings it to life (server-*.html).
import { mkdirSync, writeFileSync } from 'node:fs';
import { compile } from 'svelte/compiler';
import esbuild from 'esbuild';

const sentence = 'The quarry opens at seven, and the stone is cut before the sun stands high. ';
const pages = {
  article: { title: 'A morning in the quarry', rows: Array.from({ length: 12 }, (_, n) => `${n + 1}. ${sentence.repeat(4)}`) },
  shop: { title: 'Stones for sale', rows: ['Granite, grey, 120 a tonne', 'Basalt, black, 95 a tonne', 'Marble, white, 410 a tonne', 'Slate, blue, 180 a tonne', 'Sandstone, red, 75 a tonne', 'Limestone, pale, 60 a tonne', 'Gneiss, banded, 130 a tonne'] },
  tasks: { title: 'Tasks', rows: ['Sharpen the chisels', 'Feed the donkey', 'Count the stones'] },
};

// The same component in each framework: a heading, a list, a button that counts.
const sources = {
  react: (page) => `
    import { createElement as e, useState } from 'react';
    export function App() {
      const [count, setCount] = useState(0);
      return e('main', null, e('h1', null, ${JSON.stringify(page.title)}),
        e('ul', null, ${JSON.stringify(page.rows)}.map((row, n) => e('li', { key: n }, row))),
        e('button', { onClick: () => setCount(count + 1) }, 'Clicked ' + count + ' times'));
    }`,
  vue: (page) => `
    import { h, ref } from 'vue';
    export const App = { setup() { const count = ref(0); return () => h('main', [h('h1', ${JSON.stringify(page.title)}),
      h('ul', ${JSON.stringify(page.rows)}.map(row => h('li', row))),
      h('button', { onClick: () => count.value++ }, 'Clicked ' + count.value + ' times')]); } };`,
  angular: (page) => `
    import '@angular/compiler';
    import { Component } from '@angular/core';
    class Root { rows = ${JSON.stringify(page.rows)}; count = 0; }
    export const App = Component({ selector: 'app-root', template: '<main><h1>${page.title}</h1><ul>@for (row of rows; track row) {<li>{{row}}</li>}</ul><button (click)="count = count + 1">Clicked {{count}} times</button></main>' })(Root) ?? Root;`,
  lit: (page) => `
    import { LitElement, html } from 'lit';
    export class StonePage extends LitElement {
      static properties = { count: { type: Number } };
      constructor() { super(); this.count = 0; }
      render() { return html\`<main><h1>${page.title}</h1><ul>\${${JSON.stringify(page.rows)}.map(row => html\`<li>\${row}</li>\`)}</ul>
        <button @click=\${() => this.count++}>Clicked \${this.count} times</button></main>\`; }
    }
    customElements.get('stone-page') || customElements.define('stone-page', StonePage);`,
};
const svelteSource = (page) => `<script>let count = $state(0); const rows = ${JSON.stringify(page.rows)};</script>
  <main><h1>${page.title}</h1><ul>{#each rows as row}<li>{row}</li>{/each}</ul><button onclick={() => count++}>Clicked {count} times</button></main>`;

const bundle = async (contents, platform) => {
  const built = await esbuild.build({ stdin: { contents, resolveDir: '.' }, bundle: true, write: false, minify: platform === 'browser', format: platform === 'browser' ? 'iife' : 'esm',
    platform, target: 'es2022', define: { 'process.env.NODE_ENV': '"production"' }, logLevel: 'error',
    banner: platform === 'node' ? { js: "import { createRequire as make } from 'node:module'; const require = make(import.meta.url);" } : {} });
  return built.outputFiles[0].text;
};
let modules = 0;
const run = async (contents) => {
  const file = `./out/module-${modules++}.mjs`;
  writeFileSync(file, await bundle(contents, 'node'));
  return import(file);
};
const write = (framework, name, html, script) => {
  mkdirSync(`out/${framework}`, { recursive: true });
  writeFileSync(`out/${framework}/${name}.html`, html);
  if (script) writeFileSync(`out/${framework}/${name}.js`, script);
};
const shell = (title, body, script, head = '') => `<!doctype html>
<html lang="en"><head><meta charset="UTF-8"><meta name="viewport" content="width=device-width, initial-scale=1.0"><title>${title}</title>${head}</head>
<body>${body}<script defer src="./${script}.js"></script></body></html>`;

async function both(framework, name, page, { empty, client, hydrate, rendered }) {
  write(framework, `client-${name}`, shell(page.title, empty, `client-${name}`), await bundle(client, 'browser'));
  write(framework, `server-${name}`, shell(page.title, rendered, `server-${name}`), await bundle(hydrate, 'browser'));
}

const builders = {
  async react(name, page) {
    const app = sources.react(page);
    const { html } = await run(`${app} import { renderToString } from 'react-dom/server'; export const html = renderToString(e(App));`);
    await both('react', name, page, { empty: '<div id="root"></div>', rendered: `<div id="root">${html}</div>`,
      client: `${app} import { createRoot } from 'react-dom/client'; createRoot(document.getElementById('root')).render(e(App));`,
      hydrate: `${app} import { hydrateRoot } from 'react-dom/client'; hydrateRoot(document.getElementById('root'), e(App));` });
  },
  async vue(name, page) {
    const app = sources.vue(page);
    const { html } = await run(`${app} import { createSSRApp } from 'vue'; import { renderToString } from '@vue/server-renderer'; export const html = await renderToString(createSSRApp(App));`);
    await both('vue', name, page, { empty: '<div id="app"></div>', rendered: `<div id="app">${html}</div>`,
      client: `${app} import { createApp } from 'vue'; createApp(App).mount('#app');`,
      hydrate: `${app} import { createSSRApp } from 'vue'; createSSRApp(App).mount('#app');` });
  },
  async svelte(name, page) {
    const source = svelteSource(page);
    const server = compile(source, { generate: 'server', name: 'App' }).js.code, client = compile(source, { generate: 'client', name: 'App' }).js.code;
    const named = (code) => code.replace(/export default (function )?App/, 'export $1App');
    const { html } = await run(`${named(server)} import { render } from 'svelte/server'; export const html = render(App).body;`);
    await both('svelte', name, page, { empty: '<div id="app"></div>', rendered: `<div id="app">${html}</div>`,
      client: `${named(client)} import { mount } from 'svelte'; mount(App, { target: document.getElementById('app') });`,
      hydrate: `${named(client)} import { hydrate } from 'svelte'; hydrate(App, { target: document.getElementById('app') });` });
  },
  async angular(name, page) {
    const app = sources.angular(page);
    const start = `import 'zone.js'; ${app} import { bootstrapApplication } from '@angular/platform-browser';`;
    const { html } = await run(`import 'zone.js/node'; ${app} import { bootstrapApplication } from '@angular/platform-browser';
      import { renderApplication, provideServerRendering } from '@angular/platform-server';
      export const html = await renderApplication((context) => bootstrapApplication(App, { providers: [provideServerRendering()] }, context), { document: '<html><body><app-root></app-root></body></html>', url: '/' });`);
    await both('angular', name, page, { empty: '<app-root></app-root>', rendered: html.match(/<body[^>]*>([\s\S]*)<\/body>/)[1],
      client: `${start} bootstrapApplication(App);`,
      hydrate: `${start} import { provideClientHydration } from '@angular/platform-browser'; bootstrapApplication(App, { providers: [provideClientHydration()] });` });
  },
  async lit(name, page) {
    const app = sources.lit(page);
    const { html } = await run(`import '@lit-labs/ssr/lib/install-global-dom-shim.js'; import { render } from '@lit-labs/ssr'; import { collectResult } from '@lit-labs/ssr/lib/render-result.js'; import { html as page } from 'lit'; ${app}
      export const html_ = await collectResult(render(page\`<stone-page></stone-page>\`)); export { html_ as html };`);
    await both('lit', name, page, { empty: '<stone-page></stone-page>', rendered: html,
      client: app, hydrate: `import '@lit-labs/ssr-client/lit-element-hydrate-support.js'; ${app}` });
  },
  async alpine(name, page) {
    const script = `import Alpine from 'alpinejs'; Alpine.data('stones', () => ({ title: ${JSON.stringify(page.title)}, rows: ${JSON.stringify(page.rows)}, count: 0 })); Alpine.start();`;
    await both('alpine', name, page, { client: script, hydrate: `import Alpine from 'alpinejs'; Alpine.start();`,
      empty: `<main x-data="stones" x-cloak><h1 x-text="title"></h1><ul><template x-for="row in rows"><li x-text="row"></li></template></ul><button @click="count++" x-text="'Clicked ' + count + ' times'"></button></main>`,
      rendered: `<main x-data="{ count: 0 }"><h1>${page.title}</h1><ul>${page.rows.map(row => `<li>${row}</li>`).join('')}</ul><button @click="count++">Clicked <span x-text="count">0</span> times</button></main>` });
  },
};

mkdirSync('out', { recursive: true });
for (const [framework, build] of Object.entries(builders))
  for (const [name, page] of Object.entries(pages)) {
    try {
      await build(name, page);
    } catch (error) {
      console.error(`${framework} ${name}: ${error.message}`);
      process.exitCode = 1;
    }
  }
