import { fileURLToPath } from 'node:url'
import ui from '@nuxt/ui/vite'
import vue from '@vitejs/plugin-vue'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { kitTheme } from './kit-theme.ts'
import { licences } from './licences-plugin.ts'
import { pageStart } from './page-start-plugin.ts'
import { wordsByLanguage } from './words-plugin.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The policy refuses the `<style>` that the kit writes at run time: `styles/kit-colours.css` replaces it. */
const staticColours = (): Plugin => ({
  name: 'sidestage:static-colours',
  enforce: 'pre',
  load: (id) =>
    id.replaceAll('\\', '/').includes('@nuxt/ui/dist/runtime/plugins/colors.js')
      ? 'export default { install() {} }'
      : null,
})

/** Also the renderer section of `electron.vite.config.ts`. */
export const rendererConfig = (): UserConfig => ({
  root: here('.'),
  base: './',
  publicDir: here('public'),
  plugins: [
    pageStart(),
    staticColours(),
    wordsByLanguage(),
    licences(here('..')),
    vue(),
    ui({
      root: here('..'),
      dts: false,
      colorMode: false,
      autoImport: false,
      components: false,
      icon: {
        clientBundle: { scan: { globInclude: ['renderer/**/*.{vue,ts}'], globExclude: ['node_modules', 'out'] } },
      },
      ui: kitTheme,
    }),
  ],
  build: {
    outDir: here('../out/renderer'),
    emptyOutDir: true,
    target: 'es2023',
    // The policy allows no data: fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
    rollupOptions: { input: { index: here('index.html') } },
  },
})

export default defineConfig(rendererConfig())
