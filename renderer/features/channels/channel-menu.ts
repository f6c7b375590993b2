import type { DropdownMenuItem } from '@nuxt/ui'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { inBackground } from '../../background.ts'
import { onAir } from '../../ui/tally.ts'
import { useChannels } from './channels.ts'
import { useDialogs } from './dialogs.ts'
import type { ChannelRow } from './rows.ts'

/** Items of a channel's menu. */
export function useChannelMenu() {
  const { t } = useI18n()
  const router = useRouter()
  const channels = useChannels()
  const dialogs = useDialogs()
  return (row: ChannelRow): DropdownMenuItem[][] => {
    const disabled = row.lamp === 'disabled'
    const state: DropdownMenuItem = disabled
      ? {
          label: t('word.resume'),
          icon: 'i-lucide-circle-play',
          onSelect: () => inBackground(channels.batch('resume', [row.cid])),
        }
      : {
          label: onAir(row.lamp) ? t('word.disableAsk') : t('word.disable'),
          icon: 'i-lucide-ban',
          onSelect: () =>
            onAir(row.lamp) ? dialogs.askDisable([row.cid]) : inBackground(channels.batch('disable', [row.cid])),
        }
    const edit: DropdownMenuItem[] = disabled
      ? []
      : [
          {
            label: t('word.open'),
            icon: 'i-lucide-monitor-play',
            onSelect: () => inBackground(router.push(`/studio/${row.cid}`)),
          },
          { label: t('word.rename'), icon: 'i-lucide-pencil', onSelect: () => dialogs.askRename(row.cid) },
        ]
    return [
      [
        ...edit,
        state,
        {
          label: t('channels.copyId'),
          icon: 'i-lucide-copy',
          onSelect: () => {
            navigator.clipboard.writeText(row.cid).catch(() => undefined)
          },
        },
      ],
      [
        {
          label: t('word.removeAsk'),
          icon: 'i-lucide-trash-2',
          color: 'error',
          onSelect: () => dialogs.askRemove([row.cid]),
        },
      ],
    ]
  }
}
