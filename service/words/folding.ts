import { blankGlyphs } from '../../contract/seen-text.ts'
import confusables from 'unhomoglyph/data.json' with { type: 'json' }

/** Invisible characters; tabs and line ends are spaces. */
const unseen = /[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\t\n\v\f\r\u0085]]/v
/** Marks that do not change a word; not the voicing of kana, which makes another syllable. */
const mark =
  /[[\p{M}&&[\p{sc=Inherited}\p{sc=Common}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}]]--[\u3099\u309a]]/v
const isAscii = /^[\x20-\x7e]*$/
/** Characters cached; at the limit all are dropped. */
const maxRemembered = 20_000
const remembered = new Map<number, boolean>()
function isDropped(code: number): boolean {
  const known = remembered.get(code)
  if (known !== undefined) return known
  if (remembered.size >= maxRemembered) remembered.clear()
  const character = String.fromCodePoint(code)
  const dropped = unseen.test(character) || mark.test(character)
  remembered.set(code, dropped)
  return dropped
}
/** Replaces each character by `by`; `undefined` keeps it. */
function replaced(text: string, by: (code: number) => string | undefined): string {
  let made = ''
  let from = 0
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at)!
    const next = at + (code > 0xffff ? 2 : 1)
    const instead = by(code)
    if (instead !== undefined) {
      made += text.slice(from, at) + instead
      from = next
    }
    at = next
  }
  return from === 0 ? text : made + text.slice(from)
}
const finalSigma = 0x3c2
const folded = (code: number): string | undefined =>
  code < 0x7f ? undefined : code === finalSigma ? 'σ' : isDropped(code) ? '' : undefined

/** Characters that are a whole word or phrase: 5 to 18 characters in NFKC. */
const wide =
  /[\u321d\u321e\u327c\u327d\u3300\u3302\u3304\u3307\u3313\u3315-\u3317\u3319\u331a\u3320\u3321\u332b\u332d\u332e\u3332\u3334\u3336\u333b\u333d\u3340\u3347\u334a\u334c\u3354\u3356\u339f\u33a3\u33a8\u33ae\u33af\u33c2\u33d8\ufdfa\ufdfb]/g
/** Of these in one text; further ones are read as spaces, so that a short text cannot expand without limit. */
const maxWide = 32
const narrowed = (text: string): string => {
  let count = 0
  return text.replace(wide, (character) => (++count > maxWide ? ' ' : character))
}
const blanks = new RegExp(String.raw`[\s${blankGlyphs}]+`, 'gu')
/** Plain form of a text in NFKC and lower case. */
const plainOf = (lower: string): string =>
  replaced(lower.toUpperCase().toLowerCase().normalize('NFD'), folded).replace(blanks, ' ').trim().normalize('NFC')
const plainAscii = (text: string): string => text.toLowerCase().replace(/ {2,}/g, ' ').trim()

/** NFKC, case folded, without marks and invisible characters; at most 4 times as long, plus 600 characters. */
export const plainForm = (text: string): string =>
  isAscii.test(text) ? plainAscii(text) : plainOf(narrowed(text).normalize('NFKC').toLowerCase())

const direct = new Map(
  Object.entries(confusables).map(([character, like]): [number, string] => [character.codePointAt(0)!, like]),
)
const mapped = (text: string, table: ReadonlyMap<number, string>): string =>
  replaced(text.normalize('NFD'), (code) => table.get(code))
/** Mapping applied until stable: `0` is like `O`, which is `o`. */
const settled = new Map(
  [...direct].map(([character, like]): [number, string] => {
    let now = plainForm(like)
    for (let round = 0; round < 4; round++) {
      const next = plainForm(mapped(now, direct))
      if (next === now) break
      now = next
    }
    return [character, now]
  }),
)
/** ASCII characters with look-alikes. */
const unlike = /["%01`m|]/g
/** UTS 39 skeleton of a plain form: equal for texts that look alike. */
export const skeletonOf = (plain: string): string =>
  isAscii.test(plain)
    ? plain.replace(unlike, (character) => settled.get(character.charCodeAt(0)) ?? character)
    : plainForm(mapped(plain, settled))

/** Capitals that resemble another letter than their small form, such as I and l. */
const misleading = new Set(
  [...direct].flatMap(([code, like]) => {
    const capital = String.fromCodePoint(code)
    return capital !== capital.toLowerCase() && skeletonOf(plainForm(capital)) !== skeletonOf(plainForm(like))
      ? [code]
      : []
  }),
)
function misleads(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (misleading.has(text.codePointAt(at)!)) return true
  return false
}
/** Forms that a text is compared by. */
export interface TextForms {
  /** Reading: `plainForm`. */
  readonly plain: string
  /** Appearance: `skeletonOf`. */
  readonly skeleton: string
  /** Appearance as written, with capitals; undefined if equal to that of the plain form. */
  readonly written: string | undefined
}

/** The forms of a text. */
export function formsOf(text: string): TextForms {
  if (isAscii.test(text)) {
    const plain = plainAscii(text)
    return {
      plain,
      skeleton: skeletonOf(plain),
      written: text.includes('I') ? skeletonOf(plainAscii(text.replaceAll('I', 'l'))) : undefined,
    }
  }
  const composed = narrowed(text).normalize('NFKC')
  const lower = composed.toLowerCase()
  const plain = plainOf(lower)
  return {
    plain,
    skeleton: skeletonOf(plain),
    written: composed === lower || !misleads(composed) ? undefined : skeletonOf(plainForm(mapped(composed, direct))),
  }
}
