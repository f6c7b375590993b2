import type { DropdownMenuItem } from '@nuxt/ui'
import { useI18n } from 'vue-i18n'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import { useCompanion } from '../../data/companion.ts'
import { recordedPath } from '../../format/recorded-path.ts'
import { useBlockerText } from '../channels/blocked.ts'
import { useTrimming } from './trimming.ts'

/** What the menu of a file does. */
export interface FileMenuActions {
  readonly play: (file: RecordedFile) => void
  readonly download: (file: RecordedFile) => void
  readonly show: (file: RecordedFile) => void
  readonly remove: (file: RecordedFile) => void
}

const copyText = (text: string) => (): void => {
  navigator.clipboard.writeText(text).catch(() => undefined)
}

/** The menu of a file; of one that is missing on the disk only what is left to do. */
export function useFileMenu(actions: FileMenuActions): (file: RecordedFile) => DropdownMenuItem[][] {
  const { t } = useI18n()
  const companion = useCompanion()
  const blockerText = useBlockerText()
  const { canTrim, trim } = useTrimming()
  return (file) => {
    const copy = { label: t('files.copyName'), icon: 'i-lucide-copy', onSelect: copyText(file.name) }
    if (!companion.extended) return [[copy]]
    // Files of another computer are in no folder of this one.
    const folder = companion.local ? companion.computer?.folder.path : undefined
    const canShow = companion.local && companion.can('showInFolder')
    const place = folder === undefined || canShow ? undefined : recordedPath(folder, file.cid, file)
    const disabled = blockerText.value !== undefined
    const remove = {
      label: t(file.missing === true ? 'groups.forgetAsk' : 'word.removeAsk'),
      icon: 'i-lucide-trash-2',
      color: 'error',
      disabled,
      onSelect: () => actions.remove(file),
    } as const
    if (file.missing === true) return [[copy], [remove]]
    return [
      [
        { label: t('files.play'), icon: 'i-lucide-play', disabled, onSelect: () => actions.play(file) },
        {
          label: t(file.format === 'flv' ? 'files.trimFlv' : 'files.trim'),
          icon: 'i-lucide-scissors',
          kbds: ['E'],
          disabled: !canTrim(file),
          onSelect: () => trim(file),
        },
        { label: t('files.download'), icon: 'i-lucide-download', disabled, onSelect: () => actions.download(file) },
        // Only some shells can open the system's folder window.
        ...(canShow
          ? [{ label: t('files.show'), icon: 'i-lucide-folder-open', disabled, onSelect: () => actions.show(file) }]
          : []),
        ...(place === undefined
          ? []
          : [{ label: t('files.copyPath'), icon: 'i-lucide-folder', onSelect: copyText(place) }]),
        copy,
      ],
      [remove],
    ]
  }
}
