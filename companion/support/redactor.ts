import { isIPv6 } from 'node:net'
import { cutMark } from '../../platform/cut-text.ts'
import { shortest } from './known-secrets.ts'
import { spellingsOf } from './spellings.ts'

/** Stands for removed text. */
export const removedMark = '[removed]'

/** Removes private data from texts. */
export type Redactor = ReturnType<typeof createRedactor>

const named =
  '[\\w-]*(?:secret|token|passwo?r?d|pwd|sign_?key|app_?key|stream_?key|api_?key|private_?key|push_?url|check_?sum|signature)'
const byName = new RegExp(`^${named}$`, 'i')
/** Patterns, and what of them stays. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, ''],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#@"'\\]+(?=@)/gi, '$1'],
  // The key of a push address.
  [/\b(rtmps?:\/\/[^\s/"'?#\\]+\/[^\s/"'?#\\]+\/)[^\s"'\\]+/gi, '$1'],
  [/\b((?:proxy-)?authorization|(?:set-)?cookie)(\\*"?\s*[:=]\s*\\*"?)[^"\\\r\n]+/gi, '$1$2'],
  // From a name's start only, for linear time.
  [new RegExp(`(?<![\\w-])(${named}\\\\*"?\\s*[:=]\\s*\\\\*["']?)[^"'\\\\\\s,}&;)\\]]+`, 'gi'), '$1'],
  [/([?&#](?:code|key|sig|sign|auth|ticket|session|t)=)[^&\s"'\\]+/gi, '$1'],
  [/(\/(?:media|files)\/)[A-Za-z0-9_-]{32}/g, '$1'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, ''],
]
/** Patterns at the end of a cut text. */
const cutShapes: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#@"'\\]+$/gi, '$1'],
  [/(\/(?:media|files)\/)[A-Za-z0-9_-]{1,31}$/g, '$1'],
  [/(?<![\w.-])eyJ[\w.-]*$/g, ''],
]
const homes: readonly RegExp[] = [
  /(?:\/home|\/Users)\/[^/\s"'\\:]+/g,
  /\b[a-z]:(?:\\+|\/)Users(?:\\+|\/)[^\\/\s"':]+/gi,
]

/** Public addresses keep only their network. */
function shortened(text: string): string {
  const four = text.replace(
    /(?<![\d.])(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?![\d.])/g,
    (whole, ...groups: string[]) => {
      const [a = 0, b = 0, ...more] = groups.slice(0, 4).map(Number)
      const near =
        a === 0 ||
        a === 10 ||
        a === 127 ||
        (a === 192 && b === 168) ||
        (a === 172 && b >= 16 && b < 32) ||
        (a === 169 && b === 254)
      return near || [a, b, ...more].some((each) => each > 255) ? whole : `${a}.${b}.x.x`
    },
  )
  return four.replace(/(?<![\w:.])[0-9a-f:]{6,39}(?![\w:.])/gi, (whole) =>
    isIPv6(whole) && !/^(?:::|fe[89ab]|f[cd])/i.test(whole) ? `${whole.split(':').slice(0, 2).join(':')}:x` : whole,
  )
}

/** Makes the redactor. */
export function createRedactor(ports: { readonly secrets: () => Iterable<string>; readonly home: string }) {
  const { secrets, home } = ports
  const spelledHomes = [...new Set([home, JSON.stringify(home).slice(1, -1), encodeURI(home)])].filter(
    (each) => each.length > 1,
  )

  /** By first letters, so that a text is scanned once. */
  const known = (): ReadonlyMap<string, readonly string[]> => {
    const byHead = new Map<string, string[]>()
    for (const secret of secrets())
      for (const spelling of spellingsOf(secret)) {
        const head = spelling.slice(0, shortest)
        const same = byHead.get(head)
        if (same) same.push(spelling)
        else byHead.set(head, [spelling])
      }
    for (const same of byHead.values()) same.sort((a, b) => b.length - a.length)
    return byHead
  }
  const byValue = (
    text: string,
    byHead: ReadonlyMap<string, readonly string[]>,
    cut: boolean,
  ): { text: string; removed: number } => {
    const stands = (spelling: string, at: number): boolean =>
      text.startsWith(spelling, at) ||
      (cut && at + spelling.length > text.length && spelling.startsWith(text.slice(at)))
    let clean = ''
    let from = 0
    let removed = 0
    for (let at = 0; at + shortest <= text.length;) {
      const hit = byHead.get(text.slice(at, at + shortest))?.find((spelling) => stands(spelling, at))
      if (hit === undefined) {
        at++
        continue
      }
      clean += text.slice(from, at) + removedMark
      at += hit.length
      from = at
      removed++
    }
    return { text: clean + text.slice(from), removed }
  }
  const clean = (given: string, byHead: ReadonlyMap<string, readonly string[]>): { text: string; removed: number } => {
    const cut = given.endsWith(cutMark)
    let { text, removed } = byValue(cut ? given.slice(0, -cutMark.length) : given, byHead, cut)
    for (const [shape, kept] of cut ? [...shapes, ...cutShapes] : shapes)
      text = text.replace(shape, (whole, ...more: (string | number)[]) => {
        const stays = kept.replace(/\$(\d)/g, (_, group: string) => String(more[Number(group) - 1]))
        // Removed by value already.
        const found = whole.slice(stays.length)
        if (found === removedMark || `${found}]` === removedMark) return whole
        removed++
        return `${stays}${removedMark}`
      })
    for (const each of spelledHomes) text = text.replaceAll(each, '~')
    for (const each of homes) text = text.replace(each, '~')
    return { text: shortened(text) + (cut ? cutMark : ''), removed }
  }

  return {
    /** Removes known secrets and secret shapes; shortens homes and addresses. */
    text: (text: string): { readonly text: string; readonly removed: number } => clean(text, known()),
    /** Also removes members with secret names. */
    value: (given: unknown): { readonly value: unknown; readonly removed: number } => {
      const byHead = known()
      let removed = 0
      const texted = (text: string): string => {
        const done = clean(text, byHead)
        removed += done.removed
        return done.text
      }
      const walk = (value: unknown): unknown => {
        if (typeof value === 'string') return texted(value)
        if (Array.isArray(value)) return value.map(walk)
        if (typeof value !== 'object' || value === null) return value
        return Object.fromEntries(
          Object.entries(value).map(([name, member]) => {
            if (!byName.test(name) || typeof member !== 'string' || member === '') return [texted(name), walk(member)]
            removed++
            return [name, removedMark]
          }),
        )
      }
      return { value: walk(given), removed }
    },
  }
}
