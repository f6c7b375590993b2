import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { rendererConfig } from './renderer/vite.config.ts'
import { watchPage } from './renderer/watch/vite.config.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * Writes csp.json: the hashes of the fixed `<style>` texts that the kit's scroll viewports put into the page at run time, so that the
 * policy allows exactly those. The kit's colours need none: the renderer has them in a style sheet.
 */
const pagePolicy = (): Plugin => {
  const styles = new Set<string>()
  return {
    name: 'sidestage:page-policy',
    transform: {
      filter: { id: /[\\/]reka-ui[\\/]/ },
      handler: (code) => {
        if (!code.includes('as: "style"')) return null
        for (const [, literal] of code.matchAll(/createTextVNode\(("(?:[^"\\]|\\.)*")/g)) {
          if (literal?.includes('{'))
            styles.add(
              `sha256-${createHash('sha256')
                .update(JSON.parse(literal) as string)
                .digest('base64')}`,
            )
        }
        return null
      },
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'csp.json', source: JSON.stringify({ styles: [...styles].sort() }) })
    },
  }
}

const renderer = rendererConfig()

export default defineConfig({
  main: {
    build: {
      outDir: here('out/main'),
      // JSON, whose import loses its attribute when it is left to Node; and what threads need, which load no packages of the archive.
      externalizeDeps: { exclude: ['unhomoglyph', 'toad-cache', 'ipaddr.js'] },
      rollupOptions: {
        input: {
          index: here('electron/main.ts'),
          service: here('service/child.ts'),
          'service-alone': here('service/main.ts'),
          'database-worker': here('service/storage/database-worker.ts'),
          'recording-worker': here('service/recording/worker.ts'),
          'router-worker': here('service/reach/router-worker.ts'),
          'read-worker': here('service/storage/read-worker.ts'),
        },
      },
    },
  },
  preload: {
    // A sandboxed preload cannot load modules, so it is one CommonJS file with everything in it.
    build: {
      outDir: here('out/preload'),
      externalizeDeps: false,
      rollupOptions: {
        input: { preload: here('electron/preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    ...renderer,
    plugins: [...(renderer.plugins ?? []), pagePolicy(), watchPage()],
    build: { ...renderer.build, minify: true },
  },
})
