import http from 'node:http'
import https from 'node:https'
import type { Clock } from '../../platform/clock.ts'
import type { Client } from '../http/clients.ts'
import { probePath } from './visit-routes.ts'

/** What came of a request of this service to itself. */
export type ProbeOutcome =
  | { readonly kind: 'arrived'; readonly client: Client }
  /** `name`: it is unknown; `certificate`: it is not accepted; `other`: nobody, or somebody else, answered. */
  | { readonly kind: 'name' | 'certificate' | 'other'; readonly detail: string }

/** Longest time of a request, in ms. */
const patience = 5000
const numberBytes = 16
const nameCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME'])

const isCertificateCode = (code: string): boolean =>
  code.startsWith('ERR_TLS_CERT') || /CERT|SELF_SIGNED|UNABLE_TO_/.test(code)

/** Requests of the service to itself. */
export type Probes = ReturnType<typeof createProbes>

/** Makes them: whether a request arrives says that its address leads here. */
export function createProbes({ random }: { readonly clock: Clock; readonly random: (bytes: number) => Buffer }) {
  const under = new Map<string, (client: Client) => void>()
  return {
    /** A request arrived; false when it is none of this service. */
    arrived(number: string, client: Client): boolean {
      const heard = under.get(number)
      heard?.(client)
      return heard !== undefined
    },
    /** Sends one to the root of a media side. `unverified`: whatever the certificate. */
    send: (root: string, { unverified = false } = {}): Promise<ProbeOutcome> =>
      new Promise((resolve) => {
        const number = random(numberBytes).toString('hex')
        let client: Client | undefined
        const settle = (outcome: ProbeOutcome): void => {
          under.delete(number)
          request.destroy()
          resolve(client ? { kind: 'arrived', client } : outcome)
        }
        under.set(number, (one) => {
          client = one
        })
        const options = { agent: false, timeout: patience, signal: AbortSignal.timeout(patience) } as const
        const url = `${root}${probePath}${number}`
        const request = url.startsWith('https:')
          ? https.get(url, { ...options, rejectUnauthorized: !unverified })
          : http.get(url, options)
        request.on('response', ({ statusCode = 0 }) =>
          settle({ kind: 'other', detail: `somebody else answered with ${statusCode}` }),
        )
        request.on('timeout', () => settle({ kind: 'other', detail: 'no answer' }))
        request.on('error', (error: NodeJS.ErrnoException) => {
          const code = error.code ?? ''
          const kind = nameCodes.has(code) ? 'name' : isCertificateCode(code) ? 'certificate' : 'other'
          settle({ kind, detail: error.name === 'AbortError' ? 'no answer' : error.message.slice(0, 200) })
        })
      }),
  }
}
