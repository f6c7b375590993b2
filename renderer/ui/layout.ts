import type { Layout } from '../../contract/rpc/this-computer.ts'
import type { Services } from '../data/services.ts'

/** Whether a room's own window shows the picture above the chat. */
export const pictureKey = 'sidestage.popOutPicture'

/** The stored layout of windows. */
export const readLayout = (memory: Services['memory']): Layout => ({
  roomPicture: memory.read(pictureKey) === 'shown' ? 'shown' : 'hidden',
})

/** Missing entries are kept. */
export function writeLayout(memory: Services['memory'], layout: Layout): void {
  if (layout.roomPicture !== undefined) memory.write(pictureKey, layout.roomPicture === 'shown' ? 'shown' : '')
}
