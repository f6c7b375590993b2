import { computed, ref, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { Retention } from '../../../contract/rpc/index.ts'
import { local } from '../../../contract/operations/local.ts'
import { useCompanion } from '../../data/companion.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'

/** Input; empty or 0 for no limit. */
export interface RetentionFields {
  days: string
  gigabytes: string
}

const { recordingDays, recordingGigabytes } = local.updateSettings.parameters

/** Null if invalid. */
const limitOf = (text: string, max: number): number | null =>
  text.trim() === '' ? 0 : /^\d{1,9}$/.test(text.trim()) && Number(text) <= max ? Number(text) : null

/** The limits, or the name of the invalid one. */
export function readRetention(fields: RetentionFields): Retention | 'days' | 'gigabytes' {
  const [days, gigabytes] = [limitOf(fields.days, recordingDays.max), limitOf(fields.gigabytes, recordingGigabytes.max)]
  if (days === null) return 'days'
  return gigabytes === null ? 'gigabytes' : { days, gigabytes }
}

/** Which limits delete files. */
export const deletedBy = ({ days, gigabytes }: Retention): 'nothing' | 'days' | 'gigabytes' | 'both' =>
  days > 0 ? (gigabytes > 0 ? 'both' : 'days') : gigabytes > 0 ? 'gigabytes' : 'nothing'

const shown = (limit: number): string => (limit === 0 ? '' : String(limit))
const fieldsOf = (limits: Retention | null): RetentionFields => ({
  days: shown(limits?.days ?? 0),
  gigabytes: shown(limits?.gigabytes ?? 0),
})

/** Retention of the embedded service, whichever profile is chosen. */
export function useRetention() {
  const { rpc } = useServices()
  const companion = useCompanion()
  const known = ref<Retention | null>(null)
  const entered = ref<RetentionFields>({ days: '', gigabytes: '' })
  const { busy, failure, ask } = useTask()
  const saved = ref(false)
  const profileId = computed(() => companion.profiles?.find((profile) => profile.kind === 'local')?.id)
  const ready = computed(
    () => companion.line === 'open' && companion.service?.phase === 'running' && profileId.value !== undefined,
  )
  const read = computed(() => readRetention(entered.value))
  const wanted = computed(() => (typeof read.value === 'string' ? null : read.value))
  /** Shows what is stored, but for what was typed since `sent`. */
  const take = (now: Retention, sent: RetentionFields): void => {
    const { days, gigabytes } = fieldsOf(now)
    known.value = now
    if (entered.value.days === sent.days) entered.value.days = days
    if (entered.value.gigabytes === sent.gigabytes) entered.value.gigabytes = gigabytes
  }
  const run = async (sent: RetentionFields, call: (id: string) => Promise<Retention>): Promise<boolean> => {
    const id = profileId.value
    const now = id === undefined ? undefined : await ask('keep', () => call(id))
    if (now) take(now, sent)
    return now !== undefined
  }
  watch(
    ready,
    (now) => {
      if (now) inBackground(run(fieldsOf(known.value), (id) => rpc.recordings.retention({ profileId: id })))
    },
    { immediate: true },
  )

  return {
    known,
    entered,
    wanted,
    fault: computed(() => (typeof read.value === 'string' ? read.value : null)),
    deletes: computed(() => (wanted.value === null ? ('nothing' as const) : deletedBy(wanted.value))),
    changed: computed(
      () =>
        wanted.value !== null &&
        known.value !== null &&
        (wanted.value.days !== known.value.days || wanted.value.gigabytes !== known.value.gigabytes),
    ),
    ready,
    busy: computed(() => busy.value !== null),
    saved,
    failure,
    save: async (): Promise<void> => {
      const next = wanted.value
      saved.value = false
      if (next)
        saved.value = await run({ ...entered.value }, (id) => rpc.recordings.setRetention({ profileId: id, ...next }))
    },
  }
}
