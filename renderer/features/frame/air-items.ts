import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { useDialogs, type HoldQuestion } from '../channels/dialogs.ts'
import type { CommandOutcome, useStudioCommands } from './studio-commands.ts'

/** An entry of the command palette. */
interface Item {
  readonly label: string
  readonly suffix: string
  readonly keywords: string
  readonly icon: string
  readonly onSelect: () => void
}

/** How an entry acts: at once, when the palette is gone, or with what came of it told. */
interface Ways {
  readonly act: (action: () => unknown) => () => void
  readonly afterwards: Ways['act']
  readonly told: (work: () => Promise<CommandOutcome>, done: string) => () => void
}

/** Entries for what viewers and targets of Studio's channel get. */
export function useAirItems(
  studio: ReturnType<typeof useStudioCommands>,
  { act, afterwards, told }: Ways,
): ComputedRef<Item[]> {
  const { t } = useI18n()
  const router = useRouter()
  const dialogs = useDialogs()
  const asked = (cid: string, what: HoldQuestion) =>
    act(() => {
      dialogs.holdAsked = what
      return router.push(`/studio/${cid}`)
    })
  return computed(() => {
    const channel = studio.channel.value
    if (!channel || !studio.isShared.value) return []
    const { canHold, canReturn, canDump } = studio.air.value
    const item = (
      name: 'holdNow' | 'backLive' | 'holdForm' | 'delayForm' | 'dump' | 'targets',
      icon: string,
      onSelect: () => void,
    ): Item => ({
      label: t(`palette.${name}`),
      suffix: channel.name,
      keywords: t(`palette.words.${name}`),
      icon,
      onSelect,
    })
    return [
      ...(canHold
        ? [
            item(
              'holdNow',
              'i-lucide-hand',
              told(() => studio.hold(), t('palette.held')),
            ),
          ]
        : []),
      ...(canReturn
        ? [
            item(
              'backLive',
              'i-lucide-undo-2',
              told(() => studio.back(), t('palette.isBack')),
            ),
          ]
        : []),
      item('holdForm', 'i-lucide-sliders-horizontal', asked(channel.cid, 'hold')),
      item('delayForm', 'i-lucide-timer', asked(channel.cid, 'delay')),
      ...(canDump ? [item('dump', 'i-lucide-trash-2', asked(channel.cid, 'dump'))] : []),
      item(
        'targets',
        'i-lucide-send',
        afterwards(() => {
          dialogs.targetsAsked = true
          return router.push(`/studio/${channel.cid}`)
        }),
      ),
    ]
  })
}
