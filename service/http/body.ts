import { isUtf8 } from 'node:buffer'
import type { Operation } from '../../contract/operation.ts'

/** Nesting depth of a body; the three documents need four. */
const depthLimit = 16
/** Fields in a form. */
const fieldLimit = 256

/** Byte-order mark of UTF-8. */
const mark = Buffer.from('\ufeff')

/** A parsed body, or what is wrong with it. */
export type BodyReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string }

const unreadable = (reason: string): BodyReading => ({ ok: false, reason })

/** Checks the nesting of brackets outside strings. */
function tooDeep(json: Buffer): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]!
    if (inString) {
      if (byte === 0x5c) index++
      else if (byte === 0x22) inString = false
    } else if (byte === 0x22) inString = true
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > depthLimit) return true
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return false
}

/** Parses a JSON body; empty means an empty object. */
export function readJsonBody(body: Buffer): BodyReading {
  if (body.length === 0) return { ok: true, value: {} }
  if (!isUtf8(body)) return unreadable('the body is not UTF-8')
  if (body.subarray(0, 3).equals(mark))
    return unreadable('the body begins with a byte-order mark, which JSON does not have')
  if (tooDeep(body)) return unreadable(`the body nests deeper than ${depthLimit} levels`)
  try {
    return { ok: true, value: JSON.parse(body.toString('utf8')) as unknown }
  } catch {
    return unreadable('the body is not JSON')
  }
}

const escaped = /(?:%[0-9a-fA-F]{2})+/g

/** Decodes percent-encoding where valid (behaviour.md#lenient-parameters). */
function unescapeField(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  return spaced.replaceAll(escaped, (run) => {
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex')
    return isUtf8(bytes) ? bytes.toString('utf8') : run
  })
}

/** Parses a form. Refuses repeated fields, as parsers disagree which one counts. */
export function readFormBody(body: Buffer): BodyReading {
  if (!isUtf8(body)) return unreadable('the body is not UTF-8')
  const value = Object.create(null) as Record<string, string>
  let fields = 0
  for (const pair of body.toString('utf8').split('&', fieldLimit + 1)) {
    if (pair === '') continue
    if (++fields > fieldLimit) return unreadable(`the form has more than ${fieldLimit} fields`)
    const cut = pair.indexOf('=')
    const name = unescapeField(cut < 0 ? pair : pair.slice(0, cut))
    if (Object.hasOwn(value, name)) return unreadable('a field of the form comes twice')
    value[name] = cut < 0 ? '' : unescapeField(pair.slice(cut + 1))
  }
  return { ok: true, value }
}

/** What a refusal adds where a body is of a type that the operation does not read as such. */
export function otherEncoding({ encoding }: Operation, type: string): string {
  const given = /^[\w/.+-]{1,100}/.exec(type)?.[0].toLowerCase() ?? ''
  if (encoding === 'form' && /^(?:application\/json|multipart\/form-data)$/.test(given))
    return `; the body must be a form (application/x-www-form-urlencoded), not ${given}`
  if (encoding === 'json' && /^(?:application\/x-www-form-urlencoded|multipart\/form-data)$/.test(given))
    return `; the body must be JSON (application/json), not ${given}`
  return ''
}
