import { expect, it } from 'vitest'
import { fileSystemOf, isOnNetwork } from './network-drive.ts'

const mounts = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '30 22 0:26 / /mnt/nas rw shared:5 - nfs4 nas:/share rw',
  '31 22 0:27 / /mnt/my\\040disk rw shared:6 - cifs //nas/my rw',
  '32 22 8:17 / /mnt/nas/local rw - xfs /dev/sdb1 rw',
  '33 22 0:40 / /home/ana/far rw - fuse.sshfs ana@far: rw',
].join('\n')

it('knows network drives by their mount', async () => {
  expect(fileSystemOf('/home/ana', mounts)).toBe('ext4')
  expect(fileSystemOf('/mnt/nas', mounts)).toBe('nfs4')
  expect(fileSystemOf('/mnt/nasty', mounts)).toBe('ext4')
  expect(fileSystemOf('/mnt/nas/local/x', mounts)).toBe('xfs')
  const far = (place: string): Promise<boolean> => isOnNetwork(place, 'linux', () => Promise.resolve(mounts))
  expect(await far('/mnt/my disk/Sidestage')).toBe(true)
  expect(await far('/home/ana/far/x')).toBe(true)
  expect(await far('/srv')).toBe(false)
  expect(await isOnNetwork('/', 'linux', () => Promise.resolve(''))).toBe(false)
})

it('knows shares of Windows by their name, and does not ask them', async () => {
  for (const place of ['\\\\nas\\share\\x', '//nas/share', '\\\\?\\UNC\\nas\\share'])
    expect(await isOnNetwork(place, 'win32'), place).toBe(true)
  for (const place of ['D:\\Sidestage', '\\\\?\\D:\\Sidestage'])
    expect(await isOnNetwork(place, 'win32'), place).toBe(false)
})
