import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { wordsByLanguage } from './words-plugin.ts'

const file = fileURLToPath(new URL('ui/words-link.ts', import.meta.url))
const load = async (id: string) => {
  const watched: string[] = []
  const code: unknown = await (wordsByLanguage().load as (this: object, id: string) => unknown).call(
    { addWatchFile: (source: string) => watched.push(source) },
    id,
  )
  return { watched, code }
}
const wordsOf = (code: unknown): object => JSON.parse(String(code).replace(/^export const words = /, '')) as object

it.each([
  ['en', 'Open'],
  ['zh', '打开'],
])('has the words of a file in one language: %s', async (language, open) => {
  const { watched, code } = await load(`${file}?${language}`)
  expect(wordsOf(code)).toMatchObject({ link: { open } })
  expect(watched).toContain(file)
})

it.each([file, `${file}?fr`, `${file}?en&x`, file.replace('words-link', 'buttons') + '?en'])(
  'leaves other modules to others: %s',
  async (id) => {
    expect(await load(id)).toEqual({ watched: [], code: null })
  },
)
