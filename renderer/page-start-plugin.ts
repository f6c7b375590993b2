import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const source = fileURLToPath(new URL('page-start.ts', import.meta.url))

/** As a classic script, first in the page, that runs even if all else fails to load. */
export const pageStart = (): Plugin => ({
  name: 'sidestage:page-start',
  apply: 'build',
  buildStart() {
    this.emitFile({ type: 'chunk', id: source, name: 'page-start' })
  },
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const [file] = Object.values(bundle).flatMap((one) =>
        one.type === 'chunk' && one.facadeModuleId === source ? [one.fileName] : [],
      )
      if (file === undefined) throw new Error('the page was built without page-start.ts')
      return [{ tag: 'script', attrs: { src: `./${file}` }, injectTo: 'head-prepend' }]
    },
  },
})
