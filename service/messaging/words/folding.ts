import { blankGlyphs } from '../../../contract/seen-text.ts'
import confusables from 'unhomoglyph/data.json' with { type: 'json' }

/** Characters that are not seen; tabs and ends of lines are spaces. */
const unseen = /[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\t\n\v\f\r\u0085]]/v
/** Marks on letters, in scripts where a word is the same word without them; the voicing of kana makes another syllable. */
const mark =
  /[[\p{M}&&[\p{sc=Inherited}\p{sc=Common}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}]]--[\u3099\u309a]]/v
const isAscii = /^[\x20-\x7e]*$/
/** Characters whose answer is remembered; all of them are forgotten when there are more. */
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
/** A text with each character replaced by what `by` gives for it; `undefined` leaves it. */
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

/** Single characters that are a whole word or phrase, of which NFKC makes 5 to 18 characters. */
const wide =
  /[\u321d\u321e\u327c\u327d\u3300\u3302\u3304\u3307\u3313\u3315-\u3317\u3319\u331a\u3320\u3321\u332b\u332d\u332e\u3332\u3334\u3336\u333b\u333d\u3340\u3347\u334a\u334c\u3354\u3356\u339f\u33a3\u33a8\u33ae\u33af\u33c2\u33d8\ufdfa\ufdfb]/g
/** So many of them a text has at most; further ones are read as spaces, so that nobody makes a long text of a short one. */
const maxWide = 32
const narrowed = (text: string): string => {
  let count = 0
  return text.replace(wide, (character) => (++count > maxWide ? ' ' : character))
}
const blanks = new RegExp(String.raw`[\s${blankGlyphs}]+`, 'gu')
/** The plain form of a text that is in NFKC and lower case. */
const plainOf = (lower: string): string =>
  replaced(lower.toUpperCase().toLowerCase().normalize('NFD'), folded).replace(blanks, ' ').trim().normalize('NFC')
const plainAscii = (text: string): string => text.toLowerCase().replace(/ {2,}/g, ' ').trim()

/**
 * A text as words and names are compared, whatever the case, the width and the composition of its letters: NFKC, case folding, without marks and
 * without what is not seen, every run of spaces and blank characters as one space. At most four times as long as the text, and 600 characters.
 */
export const plainForm = (text: string): string =>
  isAscii.test(text) ? plainAscii(text) : plainOf(narrowed(text).normalize('NFKC').toLowerCase())

const direct = new Map(
  Object.entries(confusables).map(([character, like]): [number, string] => [character.codePointAt(0)!, like]),
)
const mapped = (text: string, table: ReadonlyMap<number, string>): string =>
  replaced(text.normalize('NFD'), (code) => table.get(code))
/** What each character becomes once folding and mapping change it no more: `0` is like `O`, which is `o`. */
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
/** Those of ASCII that are like something else. */
const unlike = /["%01`m|]/g
/** The skeleton of UTS 39 of a text in its plain form: texts that look alike have the same. */
export const skeletonOf = (plain: string): string =>
  isAscii.test(plain)
    ? plain.replace(unlike, (character) => settled.get(character.charCodeAt(0)) ?? character)
    : plainForm(mapped(plain, settled))

/** Capitals that look like another letter than their small form does, such as I, which is like l. */
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
/** What a text is compared by. */
export interface TextForms {
  /** As it reads: `plainForm`. */
  readonly plain: string
  /** As that looks: `skeletonOf`. */
  readonly skeleton: string
  /** As its capitals look as they were written; undefined where that is the same as by its plain form. */
  readonly written: string | undefined
}

/** The forms of a text, each made once. */
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
