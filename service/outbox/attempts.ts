import { deliveryTimeout } from '../../contract/callbacks/recording.ts'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import type { Spans } from '../tracing/spans.ts'
import { createConnections } from './connections.ts'
import { deliverOnce, type Attempt } from './delivery-request.ts'
import type { OutboxOptions } from './outbox-options.ts'

/** Follows an attempt: by host and port, as the rest of an address may be a secret. */
function traced(spans: Spans, row: DeliveryTable, made: () => Promise<Attempt>): Promise<Attempt> {
  const { hostname, port, protocol } = new URL(row.target)
  return spans.within(
    {
      name: `deliver ${row.kind}`,
      kind: 'client',
      attributes: {
        'http.request.method': 'POST',
        'http.request.resend_count': row.attempts,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
        'sidestage.delivery.id': row.nId,
        'sidestage.uid': row.uid,
      },
    },
    made,
    (attempt) => ({ fault: attempt?.delivered ? undefined : attempt?.result.code }),
  )
}

/** Makes delivery attempts. */
export type Attempts = ReturnType<typeof createAttempts>

/** Makes it. Each attempt resolves, checks and signs anew, and ends after 5 s. */
export function createAttempts(
  options: Pick<OutboxOptions, 'guard' | 'kinds' | 'localAllowed' | 'clock' | 'log' | 'spans' | 'ca'>,
) {
  const { guard, kinds, clock, log, spans } = options
  const connections = createConnections(options)
  const underWay = new Set<AbortController>()
  let isClosed = false

  const attempt = async (row: DeliveryTable, signal: AbortSignal): Promise<Attempt> => {
    const kind = kinds[row.kind]
    if (!kind) return { delivered: false, result: reasonOf('delivery', 'kind') }
    const late = new Promise<'late'>((resolve) =>
      signal.addEventListener('abort', () => resolve('late'), { once: true }),
    )
    const target = await Promise.race([guard.check(row.url, await options.localAllowed(row.uid)), late])
    if (target === 'late' || signal.aborted) return { delivered: false, result: reasonOf('delivery', 'unresolved') }
    if (!target.ok) return { delivered: false, result: target.reason }
    const body = kind.body?.(row.uid, row.body) ?? row.body
    const headers = await kind.headers(row.uid, body)
    // Only lines have many messages in sequence.
    const agent = row.line !== null && connections.to(target)
    return deliverOnce({ target, body, headers, signal, agent, ca: options.ca })
  }
  const tell = (row: DeliveryTable, { delivered, result }: Attempt): void => {
    const about = { nId: row.nId, kind: row.kind, target: row.target, attempt: row.attempts + 1 }
    const words = { ...about, result: result.code, ...result.params }
    if (!delivered) log.warn(words, 'not delivered')
    else if (row.line === null) log.info(words, 'delivered')
    else log.debug(words, 'delivered')
  }

  return {
    /** Makes an attempt and logs its result; undefined when cancelled by `close`. Never rejects. */
    async make(row: DeliveryTable): Promise<Attempt | undefined> {
      if (isClosed) return undefined
      const ending = new AbortController()
      underWay.add(ending)
      const cancel = clock.after(deliveryTimeout, () => ending.abort())
      const made = (): Promise<Attempt> =>
        attempt(row, ending.signal).catch((error: unknown): Attempt => {
          log.error({ nId: row.nId, err: error }, 'a delivery could not be made')
          return { delivered: false, result: reasonOf('delivery', 'fault') }
        })
      const outcome = await (spans ? traced(spans, row, made) : made())
      cancel()
      underWay.delete(ending)
      if (!outcome.delivered && isClosed) return undefined
      tell(row, outcome)
      return outcome
    },
    close() {
      isClosed = true
      for (const ending of underWay) ending.abort()
      connections.close()
    },
  }
}
