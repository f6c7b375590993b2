import { useToast } from '@nuxt/ui/composables'
import { watch } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRecordings } from '../channels/recorded.ts'

/** Notifies of finished files and wrong signatures, but not of the app's own tests. */
export function useCallbackNews(): void {
  const { t } = useI18n()
  const toast = useToast()
  const recordings = useRecordings()
  watch(
    () => recordings.newest,
    (delivery) => {
      if (!delivery || delivery.test !== null || delivery.verdict === 'duplicate') return
      const genuine = delivery.verdict === 'accepted'
      toast.add({
        title: t(genuine ? 'toast.callback.accepted' : 'toast.callback.refused'),
        description: genuine ? (delivery.fields['video_name'] ?? '') : delivery.from,
        icon: genuine ? 'i-lucide-check' : 'i-lucide-triangle-alert',
        color: genuine ? 'neutral' : 'warning',
      })
    },
  )
}
