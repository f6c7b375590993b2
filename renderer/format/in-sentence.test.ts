import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { inSentence } from './in-sentence.ts'

it('takes away what turns a sentence around, and sets apart what reads from right to left', () => {
  expect(inSentence('\u202Eevil\u202C \u2066x')).toBe('evil x')
  expect(inSentence('a\nb')).toBe('a b')
  for (const name of ['سلام', 'שלום', 'x שלום']) expect(inSentence(name)).toBe(`\u2068${name}\u2069`)
  for (const name of ['Lee', '小满', 'Ólafur', '']) expect(inSentence(name)).toBe(name)
})

/** What people of a room gave as names, reasons and elements of its queue. */
const theirs =
  /\b(?:name|who|by|target|why): (?:room\.nickOf\(|someone\.nick|[a-z.]*\bkey\b|room\.queue|taken\.key|line\.removed|notice\.|nick\b)/

it('is asked for wherever a sentence of a room has what people wrote', () => {
  const folder = fileURLToPath(new URL('../features/rooms', import.meta.url))
  const wrong = readdirSync(folder)
    .filter((file) => file.endsWith('.vue'))
    .flatMap((file) =>
      readFileSync(path.join(folder, file), 'utf8')
        .split('\n')
        .flatMap((line) => (theirs.test(line) ? [`${file}: ${line.trim()}`] : [])),
    )
  expect(wrong).toEqual([])
})
