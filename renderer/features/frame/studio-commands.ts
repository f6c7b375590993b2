import { computed } from 'vue'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useChannels } from '../channels/channels.ts'
import { useCompanion } from '../../data/companion.ts'
import { useLive } from '../channels/live.ts'
import { useRoomLink } from '../rooms/room-link.ts'
import { useServices } from '../../data/services.ts'

/** Outcome; `clipboard`: the browser refused access to it. */
export type CommandOutcome =
  | { readonly done: true }
  | { readonly done: false; readonly failure: Failure | null; readonly clipboard: boolean }

/** Commands on Studio's channel, available on every screen. */
export function useStudioCommands(writeClipboard: (text: string) => Promise<void>) {
  const { rpc } = useServices()
  const companion = useCompanion()
  const channels = useChannels()
  const live = useLive()
  const link = useRoomLink()
  const channel = computed(() => channels.first)
  const row = computed(() => channels.rows.find(({ cid }) => cid === channel.value?.cid))
  const at = computed(() =>
    channel.value && channels.profileId !== null ? { profileId: channels.profileId, cid: channel.value.cid } : null,
  )
  const run = async (call: (on: { profileId: string; cid: string }) => Promise<void>): Promise<CommandOutcome> => {
    const on = at.value
    if (on === null) return { done: false, failure: null, clipboard: false }
    try {
      await call(on)
      return { done: true }
    } catch (error) {
      return error instanceof DOMException
        ? { done: false, failure: null, clipboard: true }
        : { done: false, failure: failureOf(error), clipboard: false }
    }
  }
  return {
    channel,
    canMark: computed(() => companion.local && companion.fault === null && row.value?.lamp === 'recording'),
    /** Copies a secret without showing it. */
    copy: (part: 'key' | 'url'): Promise<CommandOutcome> =>
      run(async (on) => {
        const { text } = await rpc.push.copy({ ...on, part })
        if (text !== null) await writeClipboard(text)
      }),
    /** Whether the channel has a watch page, and a sheet of who can watch it: one of the embedded service. */
    isShared: computed(() => channel.value !== undefined && link.watchAddress(channel.value.cid) !== null),
    copyLink: (): Promise<CommandOutcome> =>
      run(async ({ cid }) => {
        const address = link.watchAddress(cid)
        if (address !== null) await writeClipboard(address)
      }),
    mark: (): Promise<CommandOutcome> =>
      run(async (on) => {
        const marked = await rpc.recordings.mark({ ...on, label: '' })
        live.marked(on.profileId, on.cid, marked.at)
      }),
  }
}
