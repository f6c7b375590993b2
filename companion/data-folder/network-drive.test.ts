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

const on = (place: string, ...lines: string[]): Promise<boolean> =>
  isOnNetwork(place, 'linux', () => Promise.resolve(lines.join('\n')))
const mounted = (at: string, type: string): string => `22 1 8:1 / ${at} rw,relatime shared:1 - ${type} source rw`

it.each([
  'nfs',
  'nfs4',
  'cifs',
  'smb3',
  'smbfs',
  '9p',
  'afs',
  'ceph',
  'coda',
  'glusterfs',
  'lustre',
  'ncpfs',
  'davfs',
  'fuse.sshfs',
  'fuse.glusterfs',
  'fuse.rclone',
  'fuse.davfs',
  'fuse.davfs2',
  'fuse.gvfsd-fuse',
  'fuse.s3fs',
  'fuse.cephfs',
])('takes a mount of %s for a network drive', async (type) => {
  expect(await on('/mnt/a/b', mounted('/', 'ext4'), mounted('/mnt/a', type))).toBe(true)
})

it.each(['ext4', 'btrfs', 'tmpfs', 'fuse.ntfs-3g', 'fuseblk', 'xnfs', 'nfsx', 'overlay'])(
  'takes a mount of %s for a drive of this computer',
  async (type) => {
    expect(await on('/mnt/a/b', mounted('/mnt/a', type))).toBe(false)
  },
)

it('goes by the last of several mounts at one place, and by the nearest of several above it', async () => {
  expect(await on('/mnt/a', mounted('/mnt/a', 'nfs'), mounted('/mnt/a', 'ext4'))).toBe(false)
  expect(await on('/mnt/a', mounted('/mnt/a', 'ext4'), mounted('/mnt/a', 'nfs'))).toBe(true)
  expect(await on('/mnt/a/b/c', mounted('/mnt/a/b', 'nfs'), mounted('/mnt/a', 'ext4'))).toBe(true)
})

it('passes over lines of mounts that it cannot read', () => {
  expect(fileSystemOf('/a', ['', 'x', '1 2 3 4', `22 1 8:1 / /a rw`, mounted('/', 'ext4')].join('\n'))).toBe('ext4')
  expect(fileSystemOf('/a', '')).toBeUndefined()
})

it('takes a mount everywhere for that of every place, and one beside a place for none of it', () => {
  expect(fileSystemOf('/a', mounted('/', 'nfs'))).toBe('nfs')
  expect(fileSystemOf('/abc', mounted('/ab', 'nfs'))).toBeUndefined()
})

it('knows nothing of drives of other systems', async () => {
  expect(await isOnNetwork('/mnt/a', 'darwin', () => Promise.resolve(mounted('/', 'nfs')))).toBe(false)
})
