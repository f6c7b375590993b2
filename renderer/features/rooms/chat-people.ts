import { computed, watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import { useRoom } from './room.ts'
import { useViewerChat } from './viewer-chat.ts'

/** How many are in the chat of a channel, without the app itself; 0 where that is not known. */
export function useChatPeople(on: Readonly<Ref<{ readonly profileId: string; readonly cid: string } | null>>) {
  const room = useRoom()
  const viewers = useViewerChat()
  const chat = computed(() => (on.value ? viewers.chatOf(on.value.profileId, on.value.cid) : undefined))
  // What the room counts has the app in it: that it changed is enough to ask.
  watch(
    () => (chat.value !== undefined && room.roomid === chat.value.roomid ? room.online : null),
    (now, before) => {
      if (now !== null && before !== null && on.value) inBackground(viewers.read(on.value.profileId, on.value.cid))
    },
  )
  return computed(() => (chat.value?.on ? chat.value.people : 0))
}
