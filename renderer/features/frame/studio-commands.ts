import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { switchedRecording } from '../../../contract/switched-recording.ts'
import { clipSeconds } from '../../../contract/operations/limits.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useChannels } from '../channels/channels.ts'
import { useCompanion } from '../../data/companion.ts'
import { useLive } from '../channels/live.ts'
import { useRoomLink } from '../rooms/room-link.ts'
import { useServices } from '../../data/services.ts'
import { onAir } from '../../ui/tally.ts'
import { useHolds } from '../hold/holds.ts'
import { useWatchLink } from '../share/watch-link.ts'

/** Outcome; `clipboard`: the browser refused access to it; `why`: a reason in words. */
export type CommandOutcome =
  | { readonly done: true }
  | { readonly done: false; readonly failure: Failure | null; readonly clipboard: boolean; readonly why?: string }

/** Commands on Studio's channel, available on every screen. */
export function useStudioCommands(writeClipboard: (text: string) => Promise<void>) {
  const { rpc } = useServices()
  const { t } = useI18n()
  const companion = useCompanion()
  const channels = useChannels()
  const live = useLive()
  const link = useRoomLink()
  const linkOf = useWatchLink()
  const holds = useHolds()
  const channel = computed(() => channels.first)
  const row = computed(() => channels.rows.find(({ cid }) => cid === channel.value?.cid))
  const at = computed(() =>
    channel.value && channels.profileId !== null ? { profileId: channels.profileId, cid: channel.value.cid } : null,
  )
  /** `call` resolves with the reason where it is not done. */
  const run = async (
    call: (on: { profileId: string; cid: string }) => Promise<string | void>,
  ): Promise<CommandOutcome> => {
    const on = at.value
    if (on === null) return { done: false, failure: null, clipboard: false }
    try {
      const why = await call(on)
      return why === undefined ? { done: true } : { done: false, failure: null, clipboard: false, why }
    } catch (error) {
      return error instanceof DOMException
        ? { done: false, failure: null, clipboard: true }
        : { done: false, failure: failureOf(error), clipboard: false }
    }
  }
  /** Null for none. */
  const roomOf = async ({ profileId, cid }: { profileId: string; cid: string }): Promise<number | null> =>
    link.roomOf(profileId, cid) ?? (await rpc.rooms.linked({ profileId, cid })).roomid
  return {
    channel,
    canMark: computed(() => companion.extended && companion.fault === null && row.value !== undefined),
    /** Copies a secret without showing it. */
    copy: (part: 'key' | 'url'): Promise<CommandOutcome> =>
      run(async (on) => {
        const { text } = await rpc.push.copy({ ...on, part })
        if (text !== null) await writeClipboard(text)
      }),
    copyText: (text: string): Promise<CommandOutcome> => run(() => writeClipboard(text)),
    /** By the app's defaults where the channel has no settings of its own. */
    record: (on: boolean): Promise<CommandOutcome> =>
      run(async ({ profileId, cid }) => {
        if (!channel.value) return
        const choice = switchedRecording(channel.value, on, companion.recordingDefaults)
        await rpc.recordings.configure({ profileId, cid, ...choice })
        await channels.refresh(profileId)
      }),
    /** Whether it is known that the channel has no room. */
    hasNoRoom: computed(() => at.value === null || link.roomOf(at.value.profileId, at.value.cid) === null),
    muteRoom: (on: boolean): Promise<CommandOutcome> =>
      run(async (of) => {
        const roomid = await roomOf(of)
        if (roomid === null) return t('palette.noRoom')
        await rpc.rooms.act({ profileId: of.profileId, roomid, measure: { kind: 'muteRoom', on }, why: '' })
        return undefined
      }),
    /** Whether the channel has a watch page, and a sheet of who can watch it: one of an extended service. */
    isShared: computed(() => channel.value !== undefined && link.watchAddress(channel.value.cid) !== null),
    copyLink: (): Promise<CommandOutcome> =>
      run(async (on) => {
        const found = await linkOf(on)
        if ('why' in found) return found.why
        await writeClipboard(found.url)
        return undefined
      }),
    /** What can be done now with what viewers and targets get. */
    air: computed(() => {
      const on = at.value
      const state = on ? holds.stateOf(on.profileId, on.cid) : undefined
      const isHeld = state?.holding === true
      const isThere = companion.extended && companion.fault === null
      const isLive = isThere && row.value !== undefined && onAir(row.value.lamp)
      return {
        canHold: isLive && !isHeld,
        // A hold of a lost encoder is ended by no button.
        canReturn: isLive && isHeld && state.byHand,
        canDump: isThere && (state?.delayed ?? 0) > 0 && (!isLive || (state?.delaySeconds ?? 0) > 0),
      }
    }),
    hold: (): Promise<CommandOutcome> =>
      run(async ({ profileId, cid }) => void (await rpc.operations.hold.holdNow({ profileId, call: { cid } }))),
    back: (): Promise<CommandOutcome> =>
      run(async ({ profileId, cid }) => void (await rpc.operations.hold.holdBack({ profileId, call: { cid } }))),
    /** Whether the last minute can be saved: of a push to an extended service. */
    canClip: computed(
      () => companion.extended && companion.fault === null && row.value !== undefined && onAir(row.value.lamp),
    ),
    clip: (): Promise<CommandOutcome> =>
      run(async (on) => void (await rpc.recordings.takeClip({ ...on, seconds: clipSeconds.usual, name: null }))),
    mark: (): Promise<CommandOutcome> =>
      run(async (on) => {
        if (row.value?.lamp !== 'recording') return t('palette.notRecorded')
        const marked = await rpc.recordings.mark({ ...on, label: '' })
        live.marked(on.profileId, on.cid, marked.at)
        return undefined
      }),
  }
}
