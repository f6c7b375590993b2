import { fileURLToPath } from 'node:url'
import { build, defineConfig, type Plugin, type UserConfig } from 'vite'
import { pageStart } from '../page-start-plugin.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const plainTokens = (): Plugin => ({
  name: 'sidestage:plain-tokens',
  enforce: 'pre',
  transform: {
    filter: { id: /styles[\\/]tokens\.css$/ },
    handler: (code) => code.replace(/@theme inline \{[^}]*\}/, ''),
  },
})

/** The same page stands at two paths, `/watch/<cid>` and `/embed/<cid>`; its files are at the first alone. */
const filesOfWatch = (): Plugin => ({
  name: 'sidestage:files-of-watch',
  apply: 'build',
  generateBundle: {
    // After the page was written.
    order: 'post',
    handler(_options, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') throw new Error('the page was not written')
      page.source = String(page.source).replaceAll('="./assets/', '="../watch/assets/')
    },
  },
})

const watchConfig = (): UserConfig => ({
  root: here('.'),
  // Relative, for proxies with a path.
  base: './',
  publicDir: false,
  plugins: [pageStart(), plainTokens(), filesOfWatch()],
  build: {
    outDir: here('../../out/watch'),
    emptyOutDir: true,
    target: 'es2022',
    // The policy forbids data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: { input: { index: here('index.html'), check: here('check.html') } },
  },
})

/** Builds the viewers' page together with the app's page. */
export const watchPage = (): Plugin => ({
  name: 'sidestage:watch-page',
  apply: 'build',
  async closeBundle() {
    await build({ ...watchConfig(), configFile: false, logLevel: 'warn' })
  },
})

export default defineConfig(watchConfig())
