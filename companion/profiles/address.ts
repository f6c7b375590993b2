import { isIP } from 'node:net'
import { cutText } from '../../platform/cut-text.ts'
import { Failure } from '../failure.ts'

/** Whether a host name or literal is this computer's loopback. */
export function isLoopbackName(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (bare === 'localhost' || bare === '::1') return true
  return isIP(bare) === 4 && bare.startsWith('127.')
}

/**
 * Reads the base URL of a service as a person typed it, without a trailing slash. Throws Failure: only http and https, no
 * credentials, query or fragment; http only on this computer, because signed headers work for any call for five minutes.
 */
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
    throw new Failure('certificate', `${url.host}: a service beyond this computer needs https://`)
  return url.href.replace(/\/+$/, '')
}
