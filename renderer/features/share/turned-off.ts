import { shallowRef, watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import { useServices } from '../../data/services.ts'
import { useLive } from '../channels/live.ts'
import { useShareNews } from './share-news.ts'

/** Whether a channel is turned off for everybody; what changes while it is on air has a line in its log. */
export function useTurnedOff(
  on: Ref<{ readonly profileId: string; readonly cid: string } | null>,
  isOnAir: () => boolean,
) {
  const { rpc, now } = useServices()
  const news = useShareNews()
  const log = useLive()
  /** Null before it is known. */
  const isOff = shallowRef<boolean | null>(null)
  const read = async (): Promise<void> => {
    const asked = on.value
    if (!asked) return
    try {
      const { ret } = await rpc.operations.access.access({ profileId: asked.profileId, call: { cid: asked.cid } })
      if (on.value?.cid !== asked.cid) return
      const before = isOff.value
      isOff.value = ret.closed
      if (before !== null && before !== ret.closed && isOnAir())
        log.done(asked, { at: now(), kind: ret.closed ? 'turnedOff' : 'turnedOn' })
    } catch {
      // Who can watch says why it cannot be read.
    }
  }
  watch(
    () => on.value && `${on.value.profileId}/${on.value.cid}`,
    () => {
      isOff.value = null
      inBackground(read())
    },
    { immediate: true },
  )
  watch(
    () => news.access,
    ({ cid }) => {
      if (cid === on.value?.cid) inBackground(read())
    },
  )
  return isOff
}
