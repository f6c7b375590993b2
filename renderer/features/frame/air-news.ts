import { useToast } from '@nuxt/ui/composables'
import { watch } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRoute } from 'vue-router'
import { type AirLoss, useAirLosses } from './air-losses.ts'
import { useChannels } from '../channels/channels.ts'
import { useCompanion } from '../../data/companion.ts'
import { useShownChannel } from '../channels/shown-channel.ts'

/** Notifies of lost channels in a window that shows channels. */
export function useAirNews(isWindow: () => boolean): void {
  const { t } = useI18n()
  const toast = useToast()
  const route = useRoute()
  const companion = useCompanion()
  const channels = useChannels()
  const store = useAirLosses()
  const showChannel = useShownChannel()
  watch(
    () =>
      [
        channels.profileId,
        route.name === 'studio' ? String(route.params['cid'] ?? '') || (channels.first?.cid ?? null) : null,
      ] as const,
    ([profileId, cid]) => store.show(profileId, cid),
    { immediate: true },
  )
  // A removed notification leaves late, together with others of the same id.
  const idOf = ({ profileId, cid, what, at }: AirLoss): string => `air ${profileId} ${cid} ${what} ${at}`
  watch(
    () => store.losses,
    (now, before) => {
      for (const [key, loss] of before) if (now.get(key) !== loss) toast.remove(idOf(loss))
      for (const [key, loss] of now) {
        if (before.get(key) === loss || !isWindow()) continue
        const { profileId, cid, name, at, what } = loss
        toast.add({
          id: idOf(loss),
          title: t(`toast.air.${what}`, { name }),
          description: t(`toast.air.${what}At`, { time: companion.zone.clock(at) }),
          icon: 'i-lucide-triangle-alert',
          color: 'warning',
          duration: 0,
          actions: [
            { label: t('word.open'), color: 'neutral', variant: 'outline', onClick: () => showChannel(profileId, cid) },
          ],
        })
      }
    },
  )
}
