import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { inBackground } from '../../background.ts'
import { onAir } from '../../ui/tally.ts'
import { useChannels } from '../channels/channels.ts'
import { useDialogs, type SharePart } from '../channels/dialogs.ts'
import { useRoomLink } from '../rooms/room-link.ts'
import { usePaletteItem, type PaletteItem } from './commands.ts'
import type { PaletteWays } from './palette-ways.ts'
import type { useStudioCommands } from './studio-commands.ts'

/** Entries for Studio's channel: its key, its recording, who can watch it, its room, and what its menu has. */
export function useChannelItems(
  studio: ReturnType<typeof useStudioCommands>,
  { act, told }: PaletteWays,
): ComputedRef<PaletteItem[]> {
  const { t } = useI18n()
  const router = useRouter()
  const channels = useChannels()
  const dialogs = useDialogs()
  const link = useRoomLink()
  const itemOf = usePaletteItem()
  return computed(() => {
    const channel = studio.channel.value
    if (!channel) return []
    const { cid, name, needRecord } = channel
    const lamp = channels.lamp(channel)
    const isDisabled = lamp === 'disabled'
    const item = (of: Parameters<typeof itemOf.value>[0], onSelect: () => void): PaletteItem =>
      itemOf.value(of, onSelect, name)
    const share = (part: SharePart): (() => void) =>
      act(() => {
        dialogs.shareAsked = part
        return router.push(`/studio/${cid}`)
      })
    const recording = needRecord
      ? item(
          'recordOff',
          told(() => studio.record(false), t('palette.recordedNot')),
        )
      : item(
          'record',
          told(() => studio.record(true), t('palette.recorded')),
        )
    return [
      item(
        'copyKey',
        told(() => studio.copy('key'), t('palette.keyCopied')),
      ),
      item(
        'copyUrl',
        told(() => studio.copy('url'), t('palette.urlCopied')),
      ),
      ...(studio.canMark.value
        ? [
            item(
              'mark',
              told(() => studio.mark(), t('palette.marked')),
            ),
          ]
        : []),
      ...(studio.canClip.value
        ? [
            item(
              'clip',
              told(() => studio.clip(), t('palette.clipped')),
            ),
          ]
        : []),
      ...(isDisabled ? [] : [recording]),
      ...(studio.isShared.value
        ? [
            item(
              'summary',
              act(() => router.push('/broadcasts/last')),
            ),
            item('share', share('begin')),
            item('shareEntry', share('entry')),
            item('shareLimits', share('limits')),
            item('shareOff', share('off')),
            item('shareVisit', share('visit')),
            item('upcoming', share('next')),
            item(
              'copyLink',
              told(() => studio.copyLink(), t('palette.linkCopied')),
            ),
            item(
              'watchPage',
              act(() => link.openWatchPage(cid)),
            ),
          ]
        : []),
      ...(studio.hasNoRoom.value
        ? []
        : [
            item(
              'muteRoom',
              told(() => studio.muteRoom(true), t('palette.roomMuted')),
            ),
            item(
              'liftRoom',
              told(() => studio.muteRoom(false), t('palette.roomLifted')),
            ),
          ]),
      item(
        'goLive',
        act(() => {
          dialogs.goLiveAsked = true
          return router.push(`/studio/${cid}`)
        }),
      ),
      ...(isDisabled
        ? [
            item(
              'resume',
              act(() => channels.batch('resume', [cid])),
            ),
          ]
        : [
            item(
              'rename',
              act(() => dialogs.askRename(cid)),
            ),
            item(
              'disable',
              act(() => (onAir(lamp) ? dialogs.askDisable([cid]) : inBackground(channels.batch('disable', [cid])))),
            ),
          ]),
      item(
        'remove',
        act(() => dialogs.askRemove([cid])),
      ),
      item(
        'copyId',
        told(() => studio.copyText(cid), t('word.copied')),
      ),
    ]
  })
}
