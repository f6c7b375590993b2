import { isIP } from 'node:net'
import { cutText } from '../../platform/cut-text.ts'
import { Failure } from '../failure.ts'

/** Whether a host is loopback. */
export function isLoopbackName(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (bare === 'localhost' || bare === '::1') return true
  return isIP(bare) === 4 && bare.startsWith('127.')
}

/** Reads a base URL. Throws Failure: https except on loopback, as signed headers stay valid for five minutes. */
export function readBaseUrl(text: string): string {
  let url: URL
  try {
    url = new URL(text.trim())
  } catch {
    throw new Failure('unreachable', `not an address: ${cutText(text, 100)}`)
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Failure('unreachable', 'the address must begin with https://')
  if (url.username || url.password || url.search || url.hash)
    throw new Failure('unreachable', 'the address must have no user, query or fragment')
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname))
    throw new Failure('plain', `${url.host}: a service beyond this computer needs https://`)
  return url.href.replace(/\/+$/, '')
}
