import { fileURLToPath } from 'node:url'
import { build, defineConfig, type Plugin, type UserConfig } from 'vite'
import { pageStart } from '../page-start-plugin.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The tokens carry a block for the app's kit, which means nothing here. */
const plainTokens = (): Plugin => ({
  name: 'sidestage:plain-tokens',
  enforce: 'pre',
  transform: {
    filter: { id: /styles[\\/]tokens\.css$/ },
    handler: (code) => code.replace(/@theme inline \{[^}]*\}/, ''),
  },
})

/** How the viewers' page is built: small, without the app's kit, into a folder of its own that the service serves. */
const watchConfig = (): UserConfig => ({
  root: here('.'),
  // Relative, so that a proxy may serve the page below a path of its own.
  base: './',
  publicDir: false,
  plugins: [pageStart(), plainTokens()],
  build: {
    outDir: here('../../out/watch'),
    emptyOutDir: true,
    target: 'es2022',
    // The policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: { input: { index: here('index.html') } },
  },
})

/** Builds the viewers' page whenever the app's page is built. */
export const watchPage = (): Plugin => ({
  name: 'sidestage:watch-page',
  apply: 'build',
  async closeBundle() {
    await build({ ...watchConfig(), configFile: false, logLevel: 'warn' })
  },
})

export default defineConfig(watchConfig())
