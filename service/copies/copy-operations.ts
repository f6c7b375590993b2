import type { Clock } from '../../platform/clock.ts'
import { copyProbe } from '../../contract/callbacks/copy.ts'
import type { CopyKind } from '../../contract/operations/copy-kinds.ts'
import { deliveryTimeout } from '../../contract/callbacks/recording.ts'
import { local } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { AddressGuard } from '../outbox/address-guard.ts'
import { deliverOnce } from '../outbox/delivery-request.ts'
import type { DeliveryKind } from '../outbox/outbox-options.ts'
import { wordsOf } from '../outbox/reason-words.ts'
import type { Copies } from './copies.ts'

/** Handlers of copy/get and copy/set, which tests the address first (behaviour.md#message-copies). */
export function copyOperations(options: {
  readonly copies: Pick<Copies, 'target' | 'set'>
  readonly delivery: DeliveryKind
  readonly guard: AddressGuard
  readonly clock: Clock
  /** Certificate authorities besides the system's. */
  readonly ca?: string | undefined
}): Served[] {
  const { copies, delivery, guard, clock, ca } = options
  const refuse = (reason: string): Refused => new Refused(local.setCopyTarget.invalid, `url: ${reason}`)
  const probe = async (uid: number, url: string, localTargets: boolean): Promise<void> => {
    const deadline = new AbortController()
    const cancel = clock.after(deliveryTimeout, () => deadline.abort())
    try {
      const late = new Promise<'late'>((resolve) =>
        deadline.signal.addEventListener('abort', () => resolve('late'), { once: true }),
      )
      const target = await Promise.race([guard.check(url, localTargets), late])
      if (target === 'late') throw refuse('its name does not resolve to an address')
      if (!target.ok) throw refuse(wordsOf(target.reason))
      const headers = await delivery.headers(uid, copyProbe)
      const { delivered, result } = await deliverOnce({ target, body: copyProbe, headers, signal: deadline.signal, ca })
      if (!delivered) throw refuse(`a POST of ${copyProbe} was not answered with 200: ${wordsOf(result)}`)
    } finally {
      cancel()
    }
  }

  return [
    serve(local.copyTarget, (_parameters, { application }) => {
      const { url, kinds } = copies.target(application.uid)
      return { ret: { ...(url !== undefined && { url }), kinds: [...kinds] } }
    }),
    serve(local.setCopyTarget, async ({ url, kinds }, { application: { uid, settings } }) => {
      if (url !== undefined) await probe(uid, url, settings.localTargets)
      const active =
        kinds === undefined
          ? copies.target(uid).kinds
          : [...new Set(kinds as CopyKind[])].sort((one, other) => one - other)
      await copies.set(uid, { ...(url !== undefined && { url }), kinds: active })
      return {}
    }),
  ]
}
