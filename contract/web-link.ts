import { blankGlyphs, isSeen } from './seen-text.ts'

/** Longest link in UTF-16 code units. */
export const maxAddress = 1024
/** Links per text; the rest stays text. */
const maxLinks = 20

/** `encoded`: shown in punycode; `mixed`: scripts mixed in a label, as in an imitation; `number`: no name. */
export type LinkWarning = 'encoded' | 'mixed' | 'number'

/** An http or https address that may be opened after confirmation. */
export interface WebLink {
  /** As in the text; shown in full. */
  readonly written: string
  /** The address to open. */
  readonly href: string
  /** Host and port in ASCII. */
  readonly host: string
  readonly warnings: readonly LinkWarning[]
}

/** Invisible characters and those that change the reading order; joiners of emoji and Arabic letters stay. */
const hidden =
  /(?!\t|\n|\uFE0E|\uFE0F)(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D\p{Extended_Pictographic})(?!(?<=\p{Script=Arabic})\u200C\p{Script=Arabic})[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu
/** Limits marks per letter: many would cover other lines. */
const piledMarks = /(\p{M}{4})\p{M}+/gu

/** A text for display: without invisible or reordering characters and piled marks. */
export const shownText = (text: string): string => text.replace(hidden, '').replace(piledMarks, '$1')

const blanks = new RegExp(String.raw`[\s${blankGlyphs}]+`, 'gu')
/** A self-chosen name for display, on one line; `instead` if nothing is visible. */
export function shownName(name: string, instead: string): string {
  const shown = shownText(name).replace(blanks, ' ').trim()
  return isSeen(shown) ? shown : instead
}

/** Scheme, authority, rest. A scheme in mixed case or a third slash would mislead. */
const form = /^(?:http|Http|HTTP)[sS]?:\/\/([^/?#]+)/
/** Invalid in addresses, as programs read it differently, or people do not see it. */
const never = new RegExp(String.raw`[\s\p{C}\p{Default_Ignorable_Code_Point}${blankGlyphs}\\…]`, 'u')

/** Scripts allowed in one label: Latin with East Asian ones (UTS 39, highly restrictive), else one alone. */
const scripts = [
  /\p{scx=Latin}/u,
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}]/u,
  /\p{scx=Cyrillic}/u,
  /\p{scx=Greek}/u,
  /\p{scx=Armenian}/u,
  /\p{scx=Georgian}/u,
  /\p{scx=Hebrew}/u,
  /\p{scx=Arabic}/u,
  /\p{scx=Devanagari}/u,
  /\p{scx=Thai}/u,
  /\p{scx=Cherokee}/u,
]
function isMixed(label: string): boolean {
  const found = new Set<number>()
  for (const letter of label) if (/\p{L}/u.test(letter)) found.add(scripts.findIndex((script) => script.test(letter)))
  return found.size > 2 || (found.size === 2 && !(found.has(0) && found.has(1)))
}
const isNumber = (host: string): boolean => /^\d+(\.\d+){3}$/.test(host) || host.startsWith('[')

/**
 * Parses a text that is one address: http or https, without credentials, white space, invisible characters, or anything
 * else that makes it lead elsewhere than it reads. Otherwise undefined.
 */
export function readWebLink(text: string): WebLink | undefined {
  if (text.length > maxAddress || never.test(text) || shownText(text) !== text) return undefined
  const authority = form.exec(text)?.[1]
  if (authority === undefined || /[@%]|:$/.test(authority)) return undefined
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || url.hostname === '')
    return undefined
  const warnings: LinkWarning[] = []
  if (/(^|\.)xn--/.test(url.hostname)) warnings.push('encoded')
  if (authority.split(/[.。．｡]/u).some(isMixed)) warnings.push('mixed')
  if (isNumber(url.hostname)) warnings.push('number')
  return { written: text, href: url.href, host: url.host, warnings }
}

/** Possible extent of an address. After a letter, `:` or `@` it is part of something else. */
const run = /(?<![\w.+:|/@\\-])https?:\/\/(?:\uFEFF|[^\s<>"'`、。，；：！？（）【】《》「」『』“”‘’«»])+/giu
const count = (text: string, mark: string): number => text.split(mark).length - 1
/** Without punctuation of the sentence at its end. */
function withoutEnd(text: string): string {
  let rest = text.replace(/[.,;:!?]+$/u, '')
  while (rest.endsWith(')') && count(rest, ')') > count(rest, '(')) rest = rest.slice(0, -1).replace(/[.,;:!?]+$/u, '')
  return rest
}

/** A text for display, with its addresses separate. Invalid addresses stay text. */
export function linkedParts(text: string): (string | WebLink)[] {
  const parts: (string | WebLink)[] = []
  let from = 0
  let links = 0
  for (const match of text.matchAll(run)) {
    const link = match[0].length <= maxAddress && links < maxLinks ? readWebLink(withoutEnd(match[0])) : undefined
    if (!link) continue
    links += 1
    parts.push(shownText(text.slice(from, match.index)), link)
    from = match.index + link.written.length
  }
  parts.push(shownText(text.slice(from)))
  return parts.filter((part) => part !== '')
}
