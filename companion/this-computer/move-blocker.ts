import type { Client } from '../client/client.ts'
import type { EventHub } from '../hub/event-hub.ts'
import { isOnAir, isRecording } from '../hub/state-selectors.ts'
import { localProfileId } from '../profiles/profiles.ts'
import { isMerging } from '../recordings/recordings.ts'
import type { MoveBlocker } from './this-computer.ts'

/** What a move of the data would interrupt; `client` undefined while the service is down. Throws Failure. */
export async function moveBlocker(
  state: EventHub['state'],
  client: () => Promise<Client> | undefined,
): Promise<MoveBlocker | undefined> {
  if (isOnAir(state, localProfileId)) return 'onAir'
  if (isRecording(state)) return 'recording'
  const running = await client()
  return running && (await isMerging(running)) ? 'merging' : undefined
}
