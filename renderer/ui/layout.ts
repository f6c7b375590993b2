import type { Layout } from '../../contract/rpc/this-computer.ts'
import type { Services } from '../data/services.ts'

/** Where a page remembers whether a room's own window shows the picture above the chat. */
export const pictureKey = 'sidestage.popOutPicture'

/** How parts of windows stand, as this page remembers it. */
export const readLayout = (memory: Services['memory']): Layout => ({
  roomPicture: memory.read(pictureKey) === 'shown' ? 'shown' : 'hidden',
})

/** Remembers what a file of settings says; what it does not say stays. */
export function writeLayout(memory: Services['memory'], layout: Layout): void {
  if (layout.roomPicture !== undefined) memory.write(pictureKey, layout.roomPicture === 'shown' ? 'shown' : '')
}
