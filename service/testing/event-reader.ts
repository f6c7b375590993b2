import { request, type IncomingMessage } from 'node:http'
import { localEventMembers, readLocalEvent, type LocalEvent } from '../../contract/local-events.ts'
import { local } from '../../contract/operations/index.ts'
import { recordCall } from './call-record.ts'
import { unknownMember } from './known-members.ts'

/** Reads `/local/service/events` and validates every line; members that the contract does not describe are refused. */
export interface EventReader {
  /** Every event so far. */
  readonly events: readonly LocalEvent[]
  /** The first matching event, past or future; rejects at the end of the stream or after 40 s without events. */
  next<T extends LocalEvent['type']>(
    type: T,
    matches?: (event: LocalEvent & { type: T }) => boolean,
  ): Promise<LocalEvent & { type: T }>
  readonly ended: Promise<void>
  close(): void
}

const patience = 150_000

function strangerOf({ type, ...members }: LocalEvent): string | undefined {
  const unknown = unknownMember(localEventMembers[type], members)
  return unknown === undefined ? undefined : `${type}${unknown} is not a member of the contract`
}

/** Opens the stream with signed headers. */
export const readEvents = (
  baseUrl: string,
  headers: Record<string, string>,
  args: { readonly after?: number } = {},
): Promise<EventReader> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      baseUrl + local.events.path,
      { method: 'POST', headers, agent: false },
      (answer: IncomingMessage) => {
        const events: LocalEvent[] = []
        const waiting = new Set<() => void>()
        let rest = ''
        /** A line that is not the contract's: from then on nothing is found. */
        let violation: Error | undefined
        let end: Error | undefined
        const wake = (): void => {
          for (const look of waiting) look()
        }
        answer.setEncoding('utf8')
        answer.on('data', (text: string) => {
          const lines = (rest + text).split('\n')
          rest = lines.pop()!
          for (const line of lines) {
            const event = readLocalEvent(JSON.parse(line))
            const fault = event ? strangerOf(event) : `not an event of the contract: ${line}`
            if (event && fault === undefined) events.push(event)
            else violation ??= new Error(fault)
          }
          wake()
        })
        const ended = new Promise<void>((done) => {
          answer.once('close', () => {
            end = new Error('the event stream ended')
            wake()
            done()
          })
        })
        answer.on('error', () => undefined)
        recordCall(local.events.path, 200)
        resolve({
          events,
          ended,
          next: <T extends LocalEvent['type']>(
            type: T,
            matches: (event: LocalEvent & { type: T }) => boolean = () => true,
          ) =>
            new Promise<LocalEvent & { type: T }>((found, failed) => {
              const settle = (finish: () => void): void => {
                waiting.delete(look)
                clearTimeout(timer)
                finish()
              }
              const look = (): void => {
                const event = events.find(
                  (one): one is LocalEvent & { type: T } =>
                    one.type === type && matches(one as LocalEvent & { type: T }),
                )
                const fault = violation ?? (event ? undefined : end)
                if (fault) settle(() => failed(fault))
                else if (event) settle(() => found(event))
              }
              const timer = setTimeout(
                () => settle(() => failed(new Error(`no ${type} event within ${patience} ms`))),
                patience,
              )
              waiting.add(look)
              look()
            }),
          close: () => outgoing.destroy(),
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify(args))
  })
