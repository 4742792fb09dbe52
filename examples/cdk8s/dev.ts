import { platform } from './platform.ts';
import { DEV } from './shared/stage.ts';

export default platform(DEV);
