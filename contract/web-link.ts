import { blankGlyphs, isSeen } from './seen-text.ts'

/** Longest address that is a link and that may be opened, in UTF-16 code units. */
export const maxAddress = 1024
/** Links that one text has at most; what comes after stays text. */
const maxLinks = 20

/**
 * What makes the host of an address easy to misread: `encoded`, it has other letters than a to z and is shown as it is asked for;
 * `mixed`, one of its labels mixes scripts, as in an imitation; `number`, it is a number in place of a name.
 */
export type LinkWarning = 'encoded' | 'mixed' | 'number'

/** An http or https address that people may open after they were asked. */
export interface WebLink {
  /** As it stands in the text; shown whole. */
  readonly written: string
  /** The address that is opened. */
  readonly href: string
  /** Host and port as they are asked for, in ASCII. */
  readonly host: string
  readonly warnings: readonly LinkWarning[]
}

/** Characters that are not seen or that change the order of what is read; those that join emoji and Arabic letters stay. */
const hidden =
  /(?!\t|\n|\uFE0E|\uFE0F)(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D\p{Extended_Pictographic})(?!(?<=\p{Script=Arabic})\u200C\p{Script=Arabic})[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu
/** More marks than this on one letter are cut: a pile of them covers the lines above and below. */
const piledMarks = /(\p{M}{4})\p{M}+/gu

/** A text as it may be shown: without what is not seen or turns the reading around, and without piles of marks. */
export const shownText = (text: string): string => text.replace(hidden, '').replace(piledMarks, '$1')

const blanks = new RegExp(String.raw`[\s${blankGlyphs}]+`, 'gu')
/** A name that people gave themselves as it may be shown, on one line; what stands for it where nothing of it can be seen. */
export function shownName(name: string, instead: string): string {
  const shown = shownText(name).replace(blanks, ' ').trim()
  return isSeen(shown) ? shown : instead
}

/** Scheme, authority and the rest. A scheme in mixed case is made to be overlooked, and a third slash to be misread. */
const form = /^(?:http|Http|HTTP)[sS]?:\/\/([^/?#]+)/
/** What no address has: white space, what is not seen, the backslash, which programs read differently, and the mark of a cut. */
const never = new RegExp(String.raw`[\s\p{C}\p{Default_Ignorable_Code_Point}${blankGlyphs}\\…]`, 'u')

/** Writing systems that one label of a host may have together: Latin with those of East Asia (UTS 39, highly restrictive), else one alone. */
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
 * Reads a text that is one address: http or https, without credentials, white space, characters that are not seen, or anything else
 * that makes it lead elsewhere than it reads. Undefined for every other text.
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

/** Where an address may begin and how far it goes. After a letter, `:`, `@` or the like it is part of something else, such as another scheme. */
const run = /(?<![\w.+:|/@\\-])https?:\/\/(?:\uFEFF|[^\s<>"'`、。，；：！？（）【】《》「」『』“”‘’«»])+/giu
const count = (text: string, mark: string): number => text.split(mark).length - 1
/** Without the sentence's own marks at its end. */
function withoutEnd(text: string): string {
  let rest = text.replace(/[.,;:!?]+$/u, '')
  while (rest.endsWith(')') && count(rest, ')') > count(rest, '(')) rest = rest.slice(0, -1).replace(/[.,;:!?]+$/u, '')
  return rest
}

/** A text as it may be shown, with its addresses apart. What only looks like an address stays text. */
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
