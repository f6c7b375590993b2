import { createHash, randomUUID } from 'node:crypto'
import { signedHeaders } from '../contract/signing.ts'
import type { Credentials } from '../contract/service-process.ts'

/** One signed call of a JSON operation, as a developer's own server would make it. Returns the body. */
export async function signedCall(
  baseUrl: string,
  credentials: Credentials,
  path: string,
  body: object,
): Promise<{ code: number; msg?: string; ret?: Record<string, unknown> }> {
  const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')
  const response = await fetch(baseUrl + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json;charset=utf-8',
      ...signedHeaders(sha1, credentials, randomUUID(), Math.floor(Date.now() / 1000)),
    },
    body: JSON.stringify(body),
  })
  return (await response.json()) as { code: number; msg?: string; ret?: Record<string, unknown> }
}

/** One signed call of a form operation of the messaging documents. Returns the body. */
export async function signedForm(
  imBaseUrl: string,
  credentials: Credentials,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly code: number } & Readonly<Record<string, unknown>>> {
  const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')
  const response = await fetch(imBaseUrl + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded;charset=utf-8',
      ...signedHeaders(sha1, credentials, randomUUID(), Math.floor(Date.now() / 1000)),
    },
    body: new URLSearchParams(fields).toString(),
  })
  return (await response.json()) as { code: number } & Record<string, unknown>
}
