import { useRouter } from 'vue-router'
import { inBackground } from '../../background.ts'
import { useChannels } from './channels.ts'
import { useCompanion } from '../../data/companion.ts'

/** Opens a channel of any profile in Studio. */
export function useShownChannel(): (profileId: string, cid: string) => void {
  const router = useRouter()
  const channels = useChannels()
  const companion = useCompanion()
  return (profileId, cid) => {
    // After a change of profile, Studio shows the channel opened last.
    channels.open(cid)
    if (companion.profile?.id !== profileId) companion.choose(profileId)
    inBackground(router.push(`/studio/${cid}`))
  }
}
