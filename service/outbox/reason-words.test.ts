import { expect, it } from 'vitest'
import { reasonOf, reasons } from '../../contract/catalogue/reasons.ts'
import { wordsOf } from './reason-words.ts'

it('says every reason of a delivery with all that varies', () => {
  for (const [code, names] of Object.entries<readonly string[]>(reasons.delivery)) {
    const params = Object.fromEntries(names.map((name) => [name, `<${name}>`]))
    const said = wordsOf({ code: code as keyof typeof reasons.delivery, params })
    for (const name of names) expect(said, code).toContain(`<${name}>`)
    expect(said, code).not.toMatch(/^$|[{}]/)
  }
})

it('puts nothing into what it filled in', () => {
  expect(wordsOf(reasonOf('delivery', 'nowhere', { host: '$& {host}' }))).toBe(
    '$& {host} does not resolve to an address',
  )
})
