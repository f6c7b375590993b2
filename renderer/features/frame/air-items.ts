import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { useDialogs, type HoldQuestion } from '../channels/dialogs.ts'
import { usePaletteItem, type PaletteItem } from './commands.ts'
import type { PaletteWays } from './palette-ways.ts'
import type { useStudioCommands } from './studio-commands.ts'

/** Entries for what viewers and targets of Studio's channel get. */
export function useAirItems(
  studio: ReturnType<typeof useStudioCommands>,
  { act, afterwards, told }: PaletteWays,
): ComputedRef<PaletteItem[]> {
  const { t } = useI18n()
  const router = useRouter()
  const dialogs = useDialogs()
  const itemOf = usePaletteItem()
  const asked = (cid: string, what: HoldQuestion) =>
    act(() => {
      dialogs.holdAsked = what
      return router.push(`/studio/${cid}`)
    })
  return computed(() => {
    const channel = studio.channel.value
    if (!channel || !studio.isShared.value) return []
    const { canHold, canReturn, canDump } = studio.air.value
    const item = (name: Parameters<typeof itemOf.value>[0], onSelect: () => void): PaletteItem =>
      itemOf.value(name, onSelect, channel.name)
    return [
      ...(canHold
        ? [
            item(
              'holdNow',
              told(() => studio.hold(), t('palette.held')),
            ),
          ]
        : []),
      ...(canReturn
        ? [
            item(
              'backLive',
              told(() => studio.back(), t('palette.isBack')),
            ),
          ]
        : []),
      item('holdForm', asked(channel.cid, 'hold')),
      item('delayForm', asked(channel.cid, 'delay')),
      ...(canDump ? [item('dump', asked(channel.cid, 'dump'))] : []),
      item(
        'targets',
        afterwards(() => {
          dialogs.targetsAsked = true
          return router.push(`/studio/${channel.cid}`)
        }),
      ),
    ]
  })
}
