import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { copyKinds, copyKindsAtFirst, type CopyKind } from '../../../contract/operations/copy-kinds.ts'
import type { CopyReceiver, ReceivedCopy } from '../../../contract/rpc/index.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { failureOf } from '../../data/failure.ts'
import { useCompanion } from '../../data/companion.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'

const known = 200

/** Where the embedded service sends copies, and their kinds. */
export interface CopyTarget {
  readonly url: string | null
  readonly kinds: readonly number[]
}

/** `other`: unknown, a probe, or unreadable. */
export type KindOfCopy = CopyKind | 'other'
/** The kind of a received copy. */
export const kindOfCopy = ({ fields, verdict }: ReceivedCopy): KindOfCopy =>
  (verdict === 'probe' ? undefined : copyKinds.find((kind) => String(kind) === fields['eventType'])) ?? 'other'

const merged = (one: readonly ReceivedCopy[], other: readonly ReceivedCopy[]): readonly ReceivedCopy[] =>
  [...new Map([...other, ...one].map((each) => [each.id, each])).values()].sort((a, b) => b.id - a.id).slice(0, known)

/** Receiver, received copies and the embedded service's target, for the chosen profile. */
export const useMessageCopies = defineStore('messageCopies', () => {
  const { rpc } = useServices()
  const companion = useCompanion()
  const receiver = shallowRef<CopyReceiver | null>(null)
  const list = shallowRef<readonly ReceivedCopy[]>([])
  /** Null for a hosted profile or without the service. */
  const target = shallowRef<CopyTarget | null>(null)
  const { busy, failure, ask, drop } = useTask()
  const registered = ref<string | null>(null)
  let shown: string | undefined

  const profileId = computed(() => companion.profile?.id)
  watch(profileId, drop, { flush: 'sync' })
  const forget = (id: string | undefined): void => {
    if (shown === id) return
    shown = id
    receiver.value = null
    list.value = []
    target.value = null
    registered.value = null
  }
  const run = async <T>(
    what: string,
    call: (profile: { readonly profileId: string }) => Promise<T>,
    took: (answer: T) => void,
  ): Promise<void> => {
    const id = profileId.value
    if (id === undefined || busy.value !== null) return
    forget(id)
    const done = await ask(what, async () => ({ answer: await call({ profileId: id }) }))
    if (done) took(done.answer)
  }
  const look = async (): Promise<void> => {
    const id = profileId.value
    forget(id)
    if (id === undefined || companion.line !== 'open') return
    const asked = { profileId: id }
    const [state, copies, where] = await Promise.allSettled([
      rpc.copies.state(asked),
      rpc.copies.list({ ...asked, limit: known }),
      companion.extended && companion.fault === null ? rpc.copies.target(asked) : Promise.resolve(null),
    ])
    if (shown !== id || id !== profileId.value) return
    if (state.status === 'fulfilled') receiver.value = state.value
    else failure.value = failureOf(state.reason)
    // Copies may have arrived since the request.
    if (copies.status === 'fulfilled') list.value = merged(copies.value, list.value)
    target.value = where.status === 'fulfilled' ? where.value : null
  }
  const put = (state: CopyReceiver): void => {
    receiver.value = state
  }
  const add = (copy: ReceivedCopy): void => {
    list.value = merged([copy], list.value)
  }

  return {
    receiver,
    list,
    target,
    busy,
    failure,
    registered,
    look,
    start: (host: string, port: number): Promise<void> =>
      run('listen', (profile) => rpc.copies.start({ ...profile, host, port }), put),
    stop: (): Promise<void> => run('listen', rpc.copies.stop, put),
    attempt: (kind: 'replay' | 'tamper', id: number): Promise<void> =>
      run(`${kind}${id}`, (profile) => rpc.copies[kind]({ ...profile, id }), add),
    /** Null ends copying. */
    setTarget: (url: string | null, kinds: readonly CopyKind[] = copyKindsAtFirst): Promise<void> =>
      run(
        url === null ? 'endCopies' : 'setTarget',
        (profile) => rpc.copies.setTarget({ ...profile, url, kinds: [...kinds] }),
        () => {
          target.value = { url, kinds }
          registered.value = url
        },
      ),
    apply: (event: AppEvent): void => {
      if (event.type === 'copyReceiver' && event.receiver.profileId === shown) receiver.value = event.receiver
      else if (event.type === 'copy' && event.profileId === shown) {
        add(event.copy)
        // The receiver reports its state only when it starts or ends.
        if (event.copy.verdict === 'ignored' && receiver.value)
          receiver.value = { ...receiver.value, ignored: receiver.value.ignored + 1 }
      }
    },
  }
})
