import { platform } from './platform.ts';
import { DEV } from './standards/stage.ts';

export default platform(DEV);
