import type { Clock } from '../../platform/clock.ts'
import { readReason } from '../../contract/catalogue/reasons.ts'
import { deliveryTimeout } from '../../contract/callbacks/recording.ts'
import { local, recordings } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Application } from '../applications.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { AddressGuard } from './address-guard.ts'
import { fileOf, liveKind, recordingKind, type Callbacks } from './callbacks.ts'
import { notYet } from './deliveries.ts'
import { wordsOf } from './reason-words.ts'
import type { Outbox } from './outbox.ts'

/** Handlers of setcallback, setSignKey and the extension operations on deliveries. */
export function outboxOperations(options: {
  readonly callbacks: Pick<Callbacks, 'read' | 'setAddress' | 'setLiveAddress' | 'setSignKey'>
  readonly outbox: Pick<Outbox, 'find' | 'list' | 'waiting' | 'resend'>
  readonly guard: AddressGuard
  /** Current target of an application's other deliveries. */
  readonly addressOf: (uid: number, kind: string) => string | undefined
  readonly clock: Clock
}): Served[] {
  const { callbacks, outbox, guard, addressOf, clock } = options
  /** These operations do not list 607: a missing owner is missing data (docs/decisions/003-callbacks.md). */
  const owner = (operation: Operation, { settings }: Application): void => {
    if (!settings.ownerPresent) throw new Refused(operation.unknown, 'the owner of this application is not known')
  }
  const inTime = <T>(work: Promise<T>): Promise<T | 'late'> =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(deliveryTimeout, () => resolve('late'))
      work.then(resolve, reject).finally(cancel)
    })
  /** Refuses an address that callbacks may not go to. */
  const reachable = async (
    { unknown, invalid }: Pick<Operation, 'unknown' | 'invalid'>,
    name: string,
    url: string,
    { settings }: Application,
  ): Promise<void> => {
    const checked = await inTime(guard.check(url, settings.localTargets))
    if (checked === 'late') throw new Refused(unknown, `${name} does not resolve to an address`)
    if (!checked.ok)
      throw new Refused(checked.why === 'nowhere' ? unknown : invalid, `${name}: ${wordsOf(checked.reason)}`)
  }

  return [
    serve(recordings.setCallback, async ({ recordClk }, { application }) => {
      owner(recordings.setCallback, application)
      await reachable(recordings.setCallback, 'recordClk', recordClk, application)
      await callbacks.setAddress(application.uid, recordClk)
      return { ret: { result: true } }
    }),
    serve(recordings.setSignKey, async ({ signKey }, { application }) => {
      owner(recordings.setSignKey, application)
      await callbacks.setSignKey(application.uid, signKey)
      return { ret: { result: true } }
    }),
    serve(local.callback, async (_parameters, { application }) => {
      const { url, signKey, liveUrl } = await callbacks.read(application.uid)
      return { ret: { ...(url !== null && { recordClk: url }), signKey, ...(liveUrl !== null && { liveUrl }) } }
    }),
    serve(local.setLiveCallback, async ({ url }, { application }) => {
      if (url !== undefined) await reachable(local.setLiveCallback, 'url', url, application)
      await callbacks.setLiveAddress(application.uid, url)
      return {}
    }),
    serve(local.deliveries, async ({ limit, before, kind: wanted }, { application }) => ({
      ret: {
        list: (await outbox.list(application.uid, limit, before, wanted)).map(
          ({ nId, kind, url, body, state, attempts, created, due, result: kept }) => {
            const result = readReason('delivery', kept)
            return {
              nId,
              ...(kind === recordingKind && { vid: fileOf(body) }),
              kind,
              url,
              state,
              attempts,
              at: created,
              ...(state === 'waiting' && due !== notYet && { due }),
              ...(result && { result }),
            }
          },
        ),
        waiting: await outbox.waiting(application.uid, wanted),
      },
    })),
    serve(local.resend, async ({ nId }, { application }) => {
      const entry = await outbox.find(nId)
      if (!entry) throw new Refused(local.resend.unknown, 'there is no such delivery')
      if (entry.uid !== application.uid)
        throw new Refused(local.resend.foreign, 'the delivery belongs to another application')
      const { url: recordingUrl, liveUrl } = await callbacks.read(application.uid)
      const own: Readonly<Record<string, string | null>> = { [recordingKind]: recordingUrl, [liveKind]: liveUrl }
      const url = entry.kind in own ? own[entry.kind] : addressOf(application.uid, entry.kind)
      if (!(await outbox.resend(nId, url ?? undefined)))
        throw new Refused(local.resend.unknown, 'there is no such delivery')
      return {}
    }),
  ]
}
