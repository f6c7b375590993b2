import { request, type ClientRequest } from 'node:http'
import { text } from 'node:stream/consumers'

/** An upload sent in steps by a test. */
export interface SlowUpload {
  readonly request: ClientRequest
  /** JSON body of the answer; rejects when the connection ends before. */
  readonly answer: Promise<{ readonly status: number; readonly code: number; readonly url?: string }>
}

/** Begins an upload, chunked unless a length is given, and sends its first part. */
export function slowUpload(url: string, headers: Readonly<Record<string, string>>, first: string): SlowUpload {
  const outgoing = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded;charset=utf-8', ...headers },
    agent: false,
  })
  const answer = new Promise<{ status: number; code: number }>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      text(incoming)
        .then((body) => resolve({ status: incoming.statusCode ?? 0, ...(JSON.parse(body) as { code: number }) }))
        .catch(reject)
    })
  })
  answer.catch(() => undefined)
  outgoing.write(first)
  return { request: outgoing, answer }
}
