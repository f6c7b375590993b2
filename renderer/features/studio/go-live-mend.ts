import { ref, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import type { Channel } from '../../../contract/rpc/index.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'
import { gapOf } from '../../format/languages.ts'
import { useFailureWords } from '../../ui/failure-words.ts'
import { useChannels } from '../channels/channels.ts'
import { useDialogs } from '../channels/dialogs.ts'
import type { Fix, GoLiveLine } from './go-live-facts.ts'
import type { useGoLiveRun } from './go-live-run.ts'

const places: Partial<Record<Fix, string>> = {
  profiles: '/settings/profiles',
  moderators: '/settings/moderators',
  recordings: '/recordings',
  folder: '/settings/computer',
  room: '/room',
}

/** What a line of the check says, and its way out. `leave`: the way leads elsewhere. */
export function useGoLiveMend(
  profileId: string,
  channel: Readonly<Ref<Channel>>,
  check: Pick<ReturnType<typeof useGoLiveRun>, 'room' | 'again'>,
  leave: () => void,
) {
  const { t, locale } = useI18n()
  const wordsOf = useFailureWords()
  const router = useRouter()
  const { rpc } = useServices()
  const channels = useChannels()
  const dialogs = useDialogs()
  const { busy, failure, run } = useTask<Fix>()
  const mended = ref<string | null>(null)
  const copied = ref(false)
  const words = (line: GoLiveLine): string => {
    if (line.failure) {
      const { sentence, next } = wordsOf(line.failure)
      return `${sentence}${gapOf(locale.value)}${next}`
    }
    const named = line.cause === null ? line.named : { ...line.named, why: t(line.cause) }
    return line.count === null ? t(`goLive.${line.says}`, named) : t(`goLive.${line.says}`, named, line.count)
  }
  const act = async (fix: Fix): Promise<void> => {
    const on = { profileId, cid: channel.value.cid }
    const roomid = check.room.value?.roomid
    if (fix === 'restart') await rpc.app.restartService()
    else if (fix === 'renew') await rpc.push.renew(on)
    else if (fix === 'resume') await channels.batch('resume', [on.cid])
    else if (fix === 'copy') {
      const { text } = await rpc.push.copy({ ...on, part: 'url' })
      if (text !== null) await navigator.clipboard.writeText(text)
      copied.value = true
    } else if (roomid !== undefined && (fix === 'openRoom' || fix === 'unmute'))
      await rpc.rooms.act({
        profileId,
        roomid,
        measure: fix === 'openRoom' ? { kind: 'openRoom', on: true } : { kind: 'muteRoom', on: false },
        why: '',
      })
  }
  /** A disk that is nearly full has two: recordings go, or lie elsewhere. */
  const waysOf = ({ fix }: GoLiveLine): readonly Fix[] =>
    fix === null ? [] : fix === 'recordings' ? ['recordings', 'folder'] : [fix]
  const mend = async (line: GoLiveLine, fix: Fix): Promise<void> => {
    if (busy.value !== null) return
    const place = places[fix]
    if (place !== undefined) {
      leave()
      await router.push(place)
      return
    }
    if (fix === 'share' || (fix === 'target' && line.targetId !== null)) {
      leave()
      if (fix === 'share') dialogs.shareAsked = 'begin'
      else dialogs.targetAsked = { targetId: line.targetId! }
      return
    }
    copied.value = false
    mended.value = line.name
    await run(fix, () => act(fix))
    check.again()
  }
  const nameOf = (fix: Fix): string =>
    fix === 'copy' && copied.value ? t('goLive.fix.copied') : t(`goLive.fix.${fix}`)

  return { busy, failure, mended, words, waysOf, mend, nameOf }
}
