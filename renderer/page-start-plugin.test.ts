import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { pageStart } from './page-start-plugin.ts'

const source = fileURLToPath(new URL('page-start.ts', import.meta.url))
type Transform = { readonly order: string; handler(html: string, context: object): unknown }

it('builds the start of the page as a script of its own, which stands first in the head', () => {
  const plugin = pageStart()
  const emitted: unknown[] = []
  ;(plugin.buildStart as (this: object) => void).call({ emitFile: (file: unknown) => emitted.push(file) })
  expect(emitted).toEqual([{ type: 'chunk', id: source, name: 'page-start' }])
  const { order, handler } = plugin.transformIndexHtml as unknown as Transform
  const bundle = {
    a: { type: 'chunk', facadeModuleId: '/other.ts', fileName: 'assets/other.js' },
    b: { type: 'asset', facadeModuleId: source, fileName: 'assets/page.css' },
    c: { type: 'chunk', facadeModuleId: source, fileName: 'assets/page-start.js' },
  }
  expect([plugin.apply, order, handler('', { bundle })]).toEqual([
    'build',
    'post',
    [{ tag: 'script', attrs: { src: './assets/page-start.js' }, injectTo: 'head-prepend' }],
  ])
})

it('refuses a page that was built without its start', () => {
  const { handler } = pageStart().transformIndexHtml as unknown as Transform
  expect(() => handler('', { bundle: {} })).toThrow('without page-start.ts')
  expect(() => handler('', {})).toThrow('without page-start.ts')
})
