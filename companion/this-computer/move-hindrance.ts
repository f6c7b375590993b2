import type { Client } from '../client/client.ts'
import type { EventHub } from '../hub/event-hub.ts'
import { isOnAir, isRecording } from '../hub/state-selectors.ts'
import { localProfileId } from '../profiles/profiles.ts'
import { isMerging } from '../recordings/recordings.ts'
import type { MoveHindrance } from './this-computer.ts'

/** What goes on at the service of this computer that a move of its data would cut; `client` is undefined while it does not run. Throws Failure. */
export async function moveHindrance(
  state: EventHub['state'],
  client: () => Promise<Client> | undefined,
): Promise<MoveHindrance | undefined> {
  if (isOnAir(state, localProfileId)) return 'onAir'
  if (isRecording(state)) return 'recording'
  const running = await client()
  return running && (await isMerging(running)) ? 'merging' : undefined
}
